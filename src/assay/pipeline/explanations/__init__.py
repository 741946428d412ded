"""Why a query got its decision and a sentence its rank: the strongest features by name."""

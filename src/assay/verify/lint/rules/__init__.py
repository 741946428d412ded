"""The rules, by what they are about; `registry` lists them all."""

/* The runs of the page: deflated, base64; see packed_columns.py for the layout. */
const ARRAYS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u2: Uint16Array, u1: Uint8Array };
const STATES = ["NEG", "UNCERTAIN", "POS"];

async function inflated(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = await new Response(stream).arrayBuffer();
  const size = new DataView(data).getUint32(0, true);
  const document = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
  const start = Math.ceil((4 + size) / 8) * 8;
  document.column = {};
  for (const [key, each] of Object.entries(document.columns))
    document.column[key] = new ARRAYS[each.type](data, start + each.at, each.length);
  return document;
}
async function unpack(text, place) {
  const run = await inflated(text);
  run.place = place; // its colour, everywhere
  return finish(run);
}

function finish(run) {
  const c = run.column;
  run.listed = Boolean(c.label); // without queries where small cells are suppressed
  run.size = run.counts.queries;
  run.measure = new Map(run.measures.map((each) => [each.name, each]));
  if (!run.listed) return run;
  run.size = c.label.length;
  run.first = new Int32Array(run.size + 1);
  for (let at = 0; at < run.size; at++) run.first[at + 1] = run.first[at] + c.listed[at];
  run.post = (query) => run.posts[c.post[query]];
  run.criterion = (query) => (run.criterion_names ? run.criterion_names[c.criterion[query]] : "");
  run.part = (query) => (run.row_names ? run.row_names[query] : run.criterion(query)); // what tells queries of a post apart
  run.title = (query) => run.post(query) + (run.part(query) === "" ? "" : " · " + run.part(query));
  run.item = run.criterion_names ? "sentence" : "item"; // of a plain ranking
  run.value = (query, at) => {
    const value = c["value" + at][query];
    return Number.isNaN(value) ? null : value;
  };
  /* Whether a query is not skipped, by the same decision as the counts of the first screen. */
  const kind = run.deployment ? run.deployment.kind : null,
    action = { states: c.state, returned: c.k, flagged: c.flagged }[kind];
  run.returns = (query) => (action ? action[query] >= 1 : null);
  /* How wrong a query is: the probability given to the wrong answer, or what the ranking lost. */
  const [least, most] = run.values.length ? run.definitions[run.measure.get(run.values[0]).definition].range : [];
  run.lost = least === 0 && most === 1 ? run.values[0] : null; // a value that 1 is the best of
  run.wrong = (query) => {
    if (c.prob) return Math.abs(c.prob[query] - c.label[query]);
    return (c.label[query] || run.task) && run.lost && run.value(query, 0) !== null ? 1 - run.value(query, 0) : null;
  };
  return run;
}

/* A query as `post/criterion` (or `group/row`) in the address, and back. */
const keyPart = (text) => wellFormed(text).replace(/[%/]/g, encodeURIComponent);
const queryKey = (run, query) =>
  keyPart(run.post(query)) + (run.part(query) === "" ? "" : "/" + keyPart(run.part(query)));
function queryOf(run, key) {
  if (!run.keys_of) {
    run.keys_of = new Map();
    for (let query = 0; query < run.size; query++) {
      const its = queryKey(run, query);
      if (!run.keys_of.has(its)) run.keys_of.set(its, query);
    }
  }
  return run.keys_of.get(key) ?? null;
}

/* The runs of the page: deflated, base64; see packed.py for the layout. */
const ARRAYS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u2: Uint16Array, u1: Uint8Array };
const STATES = ["NEG", "UNCERTAIN", "POS"];

async function unpack(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = await new Response(stream).arrayBuffer();
  const size = new DataView(data).getUint32(0, true);
  const run = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
  const start = Math.ceil((4 + size) / 8) * 8;
  run.column = {};
  for (const [key, each] of Object.entries(run.columns))
    run.column[key] = new ARRAYS[each.type](data, start + each.at, each.length);
  return finish(run);
}

function finish(run) {
  run.size = run.column.label.length;
  run.measure = new Map(run.measures.map((each) => [each.name, each]));
  run.first = new Int32Array(run.size + 1);
  for (let at = 0; at < run.size; at++) run.first[at + 1] = run.first[at] + run.column.listed[at];
  run.post = (query) => run.posts[run.column.post[query]];
  run.criterion = (query) => (run.criterion_names ? run.criterion_names[run.column.criterion[query]] : "");
  run.title = (query) => run.post(query) + (run.criterion_names ? " · " + run.criterion(query) : "");
  run.value = (query, at) => {
    const value = run.column["value" + at][query];
    return Number.isNaN(value) ? null : value;
  };
  run.returns = (query) => {
    const c = run.column;
    if (c.k) return c.k[query] >= 1;
    if (c.state) return c.state[query] === 2;
    return c.prob ? c.prob[query] >= 0.5 : null;
  };
  return run;
}

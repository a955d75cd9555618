// The node agent: takes the volume copies of its node, runs movers under supervision, writes how far they are.
// Not here: deciding which volumes are copied (engines/podvolume) and the movers themselves.
export { startAgent } from "./agent.ts";

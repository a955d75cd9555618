// Go's text/template with sprig 2.22, as Kanister renders blueprints: pure, no clock, no I/O, bounded.
// What a blueprint's parameters are, and when they are rendered, belongs to engines/actionset.
export { defaultLimits, type Limits } from "./budget.ts";
export { type Stage, TemplateError } from "./error.ts";
export type { MissingKey } from "./exec.ts";
export type { Ports } from "./functions/define.ts";
export { duration } from "./functions/methods.ts";

export type { Reference } from "./references.ts";

export { goMatcher } from "./regexp/matcher.ts";

export { type Options, Renderer } from "./render.ts";
export { parseTime } from "./time/parse.ts";
export { compiledZone, utc } from "./time/zone.ts";
export {
  Bytes,
  Dict,
  type Field,
  Int,
  int,
  int64,
  List,
  NilPointer,
  Struct,
  stringDict,
  stringList,
  Time,
  type Value,
  type Zone,
} from "./value.ts";

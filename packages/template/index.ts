// Go's text/template with sprig 2.22, as Kanister renders blueprints: pure, no clock, no I/O, bounded.
// What a blueprint's parameters are, and when they are rendered, belongs to engines/actionset.
export { TemplateError } from "./error.ts";
export type { MissingKey } from "./exec.ts";
export type { Ports } from "./functions/define.ts";

export { goMatcher } from "./regexp/matcher.ts";

export { Renderer } from "./render.ts";
export { Bytes, type Field, List, NilPointer, Struct, stringDict, stringList, type Value } from "./value.ts";

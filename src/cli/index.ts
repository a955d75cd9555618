// The command line: its table, its frame and what each command prints.
// Work that others could want (plans, clients, estimates) does not live here.
export { endings, Interrupted } from "./interrupt.ts";
export { run } from "./run.ts";

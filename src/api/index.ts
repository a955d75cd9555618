// What the cluster stores: types, schemas and the conventions that everyone who reads or writes it shares.
// Talking to an API server and deciding what to do do not live here.
export { isGlob, isLegalGlob, matchesGlob } from "./conventions/glob.ts";
export { formatGoDuration, parseGoDurationMs } from "./conventions/go-duration.ts";
export {
  type IncludeExclude,
  includeExclude,
  includeExcludeFaults,
  passes,
  passesEverything,
} from "./conventions/include-exclude.ts";
export {
  type LabelExpression,
  type LabelSelector,
  selectorFault,
  selectorQuery,
  selects,
} from "./conventions/label-selector.ts";

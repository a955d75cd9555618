// What Kubernetes does to any object, whatever its kind: label selectors, and JSON, merge and strategic merge patches. Pure.
// Kinds and their schemas are the business of those who use it.
export { applyJsonPatch, type JsonOperation } from "./json-patch.ts";
export { isRawNumber, isRecord, type JsonRecord, own, sameJson, without } from "./json-value.ts";
export {
  type LabelExpression,
  type LabelSelector,
  selectorFault,
  selectorQuery,
  selects,
} from "./label-selector.ts";
export { applyMergePatch } from "./merge-patch.ts";
export { PatchError } from "./patch-error.ts";
export { parseSelector } from "./selector-text.ts";
export { applyStrategicPatch, type MergeRules } from "./strategic-merge.ts";

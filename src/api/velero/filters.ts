import { labelSelector } from "../core.ts";
import { int, listOf, nullable, obj, stringsOrNull } from "../schema.ts";

/** Which namespaces and resources a backup, a restore or a hook is about. */
export const filters = {
  includedNamespaces: stringsOrNull("Namespaces to include, by name or glob; empty means all"),
  excludedNamespaces: stringsOrNull("Namespaces to leave out"),
  includedResources: stringsOrNull("Resource types to include; empty means all"),
  excludedResources: stringsOrNull("Resource types to leave out"),
};

/** Which objects are chosen by their labels. */
export const selectors = {
  labelSelector: nullable(labelSelector("Labels an object must have; not together with orLabelSelectors")),
  orLabelSelectors: nullable(
    listOf("Selectors of which one must match; not together with labelSelector", labelSelector("A selector")),
  ),
};

/** How many hooks ran and failed. */
export const hookStatus = nullable(
  obj("Hooks so far", {
    hooksAttempted: int("Hooks that were run"),
    hooksFailed: int("Hooks that failed"),
  }),
);

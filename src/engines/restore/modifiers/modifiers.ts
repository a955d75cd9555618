import { parse } from "yaml";
import { goMatcher } from "../../../../packages/template/index.ts";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  isRecord,
  type JsonOperation,
  type LabelSelector,
  matchesGlob,
  selectorFault,
  selects,
} from "../../../api/index.ts";
import { AppError, messageOf } from "../../../errors.ts";
import type { Item } from "../archive/item-json.ts";
import { type Json, recordOf, recordsOf, textOf } from "../json.ts";

/** Changes an item as the rules say; throws when a rule fits but its patch does not. */
export type Modifier = (groupResource: string, item: Item) => Item;

interface Rule {
  fits(groupResource: string, item: Item): boolean;
  apply(item: Item): unknown;
}

/** A ConfigMap may have a megabyte; a rule file of a person has a few lines. */
const limitBytes = 1024 * 1024;
/** Warnings would go to the program's own output. */
const yamlOptions = { maxAliasCount: 0, logLevel: "error" } as const;

/** Reads the text of a resource modifier; a fault in it is told with the rule's number. */
export function modifierOf(text: string): Modifier {
  const rules = readRules(text);
  return (groupResource, item) => {
    let changed = item;
    for (const [at, rule] of rules.entries()) {
      // Conditions look at the item as the backup has it, so that rules do not depend on each other.
      if (!rule.fits(groupResource, item)) continue;
      try {
        changed = keepIdentity(rule.apply(changed), item);
      } catch (error) {
        const why = messageOf(error);
        throw new AppError("MODIFIER_INVALID", `resource modifier rule ${at + 1}: ${why}`, {
          cause: error,
          retry: false,
        });
      }
    }
    return changed;
  };
}

function readRules(text: string): readonly Rule[] {
  if (text.length > limitBytes) throw fault("it is larger than a megabyte");
  let document: unknown;
  try {
    document = parse(text, yamlOptions);
  } catch (error) {
    throw fault("it is no YAML", error);
  }
  const { version, resourceModifierRules: rules } = recordOf(document);
  if (version !== "v1") throw fault('its version is not "v1"');
  if (!Array.isArray(rules)) throw fault("it has no resourceModifierRules");
  return rules.map((rule, at) => {
    try {
      return readRule(recordOf(rule));
    } catch (error) {
      throw fault(`rule ${at + 1}: ${messageOf(error)}`, error);
    }
  });
}

function readRule(rule: Json): Rule {
  const conditions = recordOf(rule["conditions"]);
  const group = textOf(conditions["groupResource"]);
  if (group === "") throw new Error("it has no conditions.groupResource");
  const name = nameTest(textOf(conditions["resourceNameRegex"]));
  const namespaces = texts(conditions["namespaces"]);
  const selector = isRecord(conditions["labelSelector"])
    ? (conditions["labelSelector"] as LabelSelector)
    : undefined; // checked next
  const wrong = selector && selectorFault(selector);
  if (wrong !== undefined) throw new Error(wrong);
  const matches = recordsOf(conditions["matches"]).map((one) => ({
    op: "test",
    path: textOf(one["path"]),
    value: valueOf(one["value"]),
  }));
  return {
    fits: (type, item) =>
      matchesGlob(group, type) &&
      name(item.metadata.name) &&
      (namespaces.length === 0 ||
        namespaces.some((pattern) => matchesGlob(pattern, item.metadata.namespace ?? ""))) &&
      (selector === undefined || selects(selector, item.metadata.labels ?? {})) &&
      holds(item, matches),
    apply: patchOf(rule),
  };
}

function patchOf(rule: Json): (item: Item) => unknown {
  const patches = recordsOf(rule["patches"]);
  const merges = recordsOf(rule["mergePatches"]);
  const strategic = recordsOf(rule["strategicPatches"]);
  if ([patches, merges, strategic].filter((list) => list.length > 0).length !== 1) {
    throw new Error("it needs exactly one of patches, mergePatches and strategicPatches");
  }
  if (patches.length > 0) {
    const operations = patches.map(operationOf);
    return (item) => applyJsonPatch(item, operations);
  }
  const data = (merges.length > 0 ? merges : strategic).map((one) => dataOf(one["patchData"]));
  if (merges.length > 0) return (item) => data.reduce<unknown>(applyMergePatch, item);
  return (item) => data.reduce<Json>((changed, patch) => applyStrategicPatch(changed, patch), item);
}

function operationOf(patch: Json): JsonOperation {
  const op = textOf(patch["operation"]);
  if (!["add", "remove", "replace", "copy", "move", "test"].includes(op))
    throw new Error(`"${op}" is no operation`);
  return { op, path: textOf(patch["path"]), from: textOf(patch["from"]), value: valueOf(patch["value"]) };
}

/** Values are texts: JSON where they look like it (objects, lists, numbers, booleans, null, quoted), else the text itself. */
function valueOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (/^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
  const isJson =
    /^[[{"]/.test(value) || value === "null" || (value.trim() !== "" && Number.isFinite(Number(value)));
  if (!isJson) return value;
  try {
    return JSON.parse(value);
  } catch {
    if (/^[[{]/.test(value)) throw new Error(`the value ${JSON.stringify(value.slice(0, 60))} is no JSON`);
    return value; // "007", ".5" and the like are numbers for nobody but a parser of floats
  }
}

function dataOf(text: unknown): Json {
  const value: unknown = typeof text === "string" ? parse(text, yamlOptions) : text;
  if (!isRecord(value)) throw new Error("its patchData is no object");
  return value;
}

function holds(item: Item, matches: readonly JsonOperation[]): boolean {
  try {
    applyJsonPatch(item, matches);
    return true;
  } catch {
    return false; // a place that is not there does not match
  }
}

/** Go's expressions, as the rules are written for: linear in time, so that no rule can hold a restore up. */
function nameTest(pattern: string): (name: string) => boolean {
  if (pattern === "") return () => true;
  if (pattern.length > 1000) throw new Error("its resourceNameRegex is longer than 1000 characters");
  return goMatcher(pattern);
}

/** A rule may change what an item is made of, not which item it is. */
function keepIdentity(value: unknown, item: Item): Item {
  if (!isRecord(value) || !isRecord(value["metadata"])) throw new Error("it leaves no object");
  const { apiVersion, kind, metadata } = value;
  if (textOf(metadata["name"]) === "" || textOf(apiVersion) === "" || textOf(kind) === "") {
    throw new Error("it takes the name or the kind away");
  }
  const namespace = item.metadata.namespace === undefined ? {} : { namespace: item.metadata.namespace };
  return { ...value, metadata: { ...metadata, ...namespace } } as Item; // checked above
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function fault(reason: string, cause?: unknown): AppError {
  return new AppError("MODIFIER_INVALID", `read the resource modifier: ${reason}`, { cause, retry: false });
}

import { parseArchiveEntry } from "../../../src/api/index.ts";
import { parseItem } from "../../../src/engines/restore/archive/item-json.ts";
import { modifierOf } from "../../../src/engines/restore/modifiers/modifiers.ts";
import { mutateText } from "../bytes.ts";
import { hostileText, mutateJson } from "../json.ts";
import * as samples from "../samples.ts";
import { target } from "../target.ts";

const sample = {
  version: "v1",
  resourceModifierRules: [
    {
      conditions: {
        groupResource: "pods",
        resourceNameRegex: "^db-.*$",
        namespaces: ["shop"],
        labelSelector: { matchLabels: { app: "shop" } },
        matches: [{ path: "/spec/nodeName", value: "n1" }],
      },
      patches: [
        { operation: "replace", path: "/spec/nodeName", value: "n2" },
        { operation: "add", path: "/metadata/labels/new", value: '{"a": 1}' },
        { operation: "copy", from: "/spec/containers/0", path: "/spec/containers/-" },
        { operation: "test", path: "/kind", value: "Pod" },
      ],
    },
    {
      conditions: { groupResource: "*" },
      mergePatches: [{ patchData: "metadata:\n  labels:\n    a: b\n    c: null\n" }],
    },
    {
      conditions: { groupResource: "pods" },
      strategicPatches: [
        { patchData: '{"spec":{"containers":[{"name":"db","image":"x"},{"$patch":"delete","name":"y"}]}}' },
      ],
    },
  ],
};
const yaml = JSON.stringify(sample, undefined, 1);
const name = "resources/pods/namespaces/shop/db-0.json";

export const modifiers = target<{ readonly rules: string; readonly text: string }>({
  name: "modifiers",
  covers:
    "resource modifiers of a restore: their rules, regular expressions, JSON, merge and strategic patches, applied to an item",
  make(random) {
    const rules = random.oneIn(3)
      ? mutateText(random, yaml, hostileText(random))
      : JSON.stringify(mutateJson(random, sample));
    return {
      rules,
      text: JSON.stringify(
        random.oneIn(2) ? samples.items[name] : mutateJson(random, samples.items[name] ?? null),
      ),
    };
  },
  run({ rules, text }) {
    const modify = modifierOf(rules);
    const entry = parseArchiveEntry(name);
    const item = entry && parseItem(Buffer.from(text), entry);
    if (!item || typeof item === "string") return false;
    modify("pods", item);
    return undefined;
  },
});

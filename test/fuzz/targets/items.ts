import { groupResource, parseArchiveEntry, type Restore } from "../../../src/api/index.ts";
import { parseItem } from "../../../src/engines/restore/archive/item-json.ts";
import { filtersOf } from "../../../src/engines/restore/choice.ts";
import { containerState, execHooksOf, hookMark, withInitHooks } from "../../../src/engines/restore/hooks.ts";
import { mergePatch } from "../../../src/engines/restore/json.ts";
import { namespaceFor } from "../../../src/engines/restore/namespaces.ts";
import { hasCondition } from "../../../src/engines/restore/put.ts";
import { mergeServiceAccount } from "../../../src/engines/restore/transform/access.ts";
import { act, companionsOf, isFinished } from "../../../src/engines/restore/transform/actions.ts";
import { comparable, labelled, placed, reset } from "../../../src/engines/restore/transform/reset.ts";
import {
  claimOfVolume,
  freeVolume,
  renamedVolume,
  volumeDecision,
} from "../../../src/engines/restore/transform/volumes.ts";
import { mutateBytes } from "../bytes.ts";
import { mutateJson } from "../json.ts";
import * as samples from "../samples.ts";
import { target } from "../target.ts";

const names = Object.keys(samples.items);
const spec: NonNullable<Restore["spec"]> = {
  includedNamespaces: ["shop"],
  namespaceMapping: { shop: "shop-2" },
  labelSelector: { matchLabels: { app: "shop" } },
  hooks: {
    resources: [
      {
        name: "h",
        postHooks: [{ exec: { command: ["a"], container: "db", onError: "Fail", execTimeout: "1m" } }],
      },
    ],
  },
};
const context = {
  namespace: "shop",
  preserveNodePorts: false,
  storageClasses: { ssd: "hdd" },
  images: { a: "postgres,mirror/postgres" },
  target: (namespace: string) => `${namespace}-2`,
  restoredVolume: (volume: string) => (volume === "pv-1" ? "pv-2" : undefined),
  hasAccount: () => true,
};

/** The first byte names the entry; the rest is the content of its file. */
export const items = target<Uint8Array>({
  name: "items",
  covers:
    "one item of an archive: its JSON, hooks in its annotations, and everything that a restore changes in it",
  make(random) {
    const at = random.below(names.length);
    const item = samples.items[names[at] ?? ""] ?? null;
    const text = Buffer.from(JSON.stringify(mutateJson(random, item)));
    return Buffer.concat([Buffer.from([at]), random.oneIn(6) ? mutateBytes(random, text) : text]);
  },
  run(given) {
    const entry = parseArchiveEntry(names[(given[0] ?? 0) % names.length] ?? "");
    const item = entry && parseItem(given.subarray(1), entry);
    if (!entry || !item || typeof item === "string") return false;
    const type = groupResource(entry);
    const filters = filtersOf(spec, (word) => word);
    if (filters.keeps(entry)) filters.selects(entry, item);
    companionsOf(type, item, "shop");
    isFinished(type, item);
    const acted = act(type, reset(item), context);
    if ("skip" in acted) return false;
    const done = placed(labelled(acted.item, { backup: "b", restore: "r" }), "shop-2");
    mergePatch(comparable(item), comparable(done));
    usePod(item);
    freeVolume(item, context.target);
    renamedVolume(item, "pv-2");
    claimOfVolume(item);
    volumeDecision(item, "none", true);
    mergeServiceAccount(item, done);
    namespaceFor(item, "shop-2");
    hasCondition(item, "Established");
    return undefined;
  },
});

function usePod(item: Exclude<ReturnType<typeof parseItem>, string>): void {
  if (item.kind !== "Pod") return;
  withInitHooks(item, spec, "shop", () => "abcde");
  for (const { container } of execHooksOf(item, spec, "shop")) containerState(item, container, true);
  hookMark(item, "c0ffee00-1111-4222-8333-444455556666");
}

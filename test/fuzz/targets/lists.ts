import { builtIn } from "../../../src/kube/index.ts";
import { nextLimit, withKind } from "../../../src/kube/list.ts";
import { splitList } from "../../../src/kube/split-list.ts";
import { mutateBytes } from "../bytes.ts";
import { mutateJson } from "../json.ts";
import { BrokenLaw, target } from "../target.ts";

const list = {
  kind: "PodList",
  apiVersion: "v1",
  metadata: { resourceVersion: "1", continue: "x", remainingItemCount: 3 },
  items: [{ metadata: { name: 'a"\\' } }, { apiVersion: "v1", kind: "Pod", metadata: { name: "]}" } }, {}],
};

export const lists = target<Uint8Array>({
  name: "lists",
  covers:
    "answers of an API server that are cut into their items without being parsed: the same items come out",
  make(random) {
    const text = Buffer.from(
      JSON.stringify(random.oneIn(2) ? mutateJson(random, list) : list, undefined, random.below(3)),
    );
    return random.oneIn(2) ? text : mutateBytes(random, text);
  },
  run(given) {
    const bytes = Buffer.from(given);
    const { head, items } = splitList(bytes);
    nextLimit(500, items.length, bytes.length);
    for (const item of items) withKind(item, builtIn.pods);
    const whole = parsed(bytes.toString("utf8"));
    if (!Array.isArray(whole?.["items"])) return false;
    if (
      Object.keys(whole).length !== Object.keys(head).length + 1 &&
      new Set(keysOf(bytes)).size === keysOf(bytes).length
    )
      throw new BrokenLaw("fields of the list are lost");
    return undefined;
  },
  refusals: [SyntaxError],
});

function keysOf(bytes: Buffer): string[] {
  return [...bytes.toString("latin1").matchAll(/"items"/g)].map(([key]) => key);
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>; // an object, splitList has seen its brace
  } catch {
    return undefined;
  }
}

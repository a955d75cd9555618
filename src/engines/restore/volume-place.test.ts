import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import { ApiError } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import type { Cluster } from "./served.ts";
import { cloneName, volumePlace } from "./volume-place.ts";

const volume = (more: object = {}): Item => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv" },
  spec: { claimRef: { namespace: "shop", name: "data", uid: "u" } },
  ...more,
});
const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" } };
const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };

/** A cluster that holds these, by plural; each look at the volumes takes the next. */
function cluster(found: { volumes: (Item | undefined)[]; claim?: Item; space?: Item }): Pick<Cluster, "get"> {
  let looks = 0;
  const get = async ({ plural }: { plural: string }): Promise<unknown> => {
    const one =
      plural === "persistentvolumes"
        ? found.volumes[Math.min(looks++, found.volumes.length - 1)]
        : plural === "namespaces"
          ? found.space
          : found.claim;
    if (one === undefined) throw new ApiError("get", { code: 404, reason: "NotFound", message: "" });
    return one;
  };
  return { get: get as Cluster["get"] };
}

function context(of: Pick<Cluster, "get">, mapped = false) {
  const clock = new TestClock();
  const target = (name: string) => (mapped ? `${name}-copy` : name);
  return { clock, given: { cluster: of, clock, limitMs: 5_000, restoreUid: "r", target } };
}
const { signal } = new AbortController();

test.each([
  ["nothing is there", { volumes: [undefined] }, false, "free"],
  ["one is bound to a live claim", { volumes: [volume()], claim, space }, false, "taken"],
  [
    "one waits for a claim that is still to come",
    { volumes: [volume({ spec: { claimRef: { namespace: "shop", name: "data" } } })] },
    false,
    "taken",
  ],
  [
    "namespaces are mapped and one is there",
    { volumes: [volume()], claim, space },
    true,
    { rename: cloneName("r", "pv") },
  ],
] as const)("volumePlace() when %s", async (_name, found, mapped, want) => {
  expect(
    await volumePlace(
      volume(),
      context(cluster({ ...found, volumes: [...found.volumes] }), mapped).given,
      signal,
    ),
  ).toEqual(want);
});

test.each([
  ["is released", volume({ status: { phase: "Released" } }), {}],
  ["has lost its claim", volume(), {}],
  [
    "has a claim on its way out",
    volume(),
    { claim: { ...claim, metadata: { name: "data", deletionTimestamp: "now" } } },
  ],
  [
    "is in a namespace on its way out",
    volume(),
    { claim, space: { ...space, metadata: { name: "shop", deletionTimestamp: "now" } } },
  ],
])("volumePlace() waits for one that %s", async (_name, leaving, more) => {
  const { clock, given } = context(cluster({ volumes: [leaving, leaving, undefined], ...more }));
  const place = volumePlace(volume(), given, signal);
  await clock.advance(2_000);
  expect(await place).toBe("free");
});

test("volumePlace() keeps what does not leave in time", async () => {
  const { clock, given } = context(cluster({ volumes: [volume({ status: { phase: "Released" } })] }));
  const place = volumePlace(volume(), given, signal);
  await clock.advance(10_000);
  expect(await place).toBe("taken");
});

test("cloneName() is a name that one restore finds again and another does not have", () => {
  expect(cloneName("r", "pv")).toMatch(/^velero-clone-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(cloneName("r", "pv")).not.toBe(cloneName("s", "pv"));
});

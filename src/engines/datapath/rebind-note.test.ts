import { expect, test } from "vitest";
import type { DataDownload } from "../../api/index.ts";
import { isOurs, readRebind, writeRebind } from "./rebind-note.ts";
import type { Volume } from "./shapes.ts";

const note = { volume: "pvc-1", policy: "Delete", claimUid: "c1" };
const noted = (text: string) => ({ metadata: { name: "d", annotations: { "headway.dev/rebind": text } } });

test("readRebind() reads what writeRebind() wrote", () => {
  expect(readRebind({ metadata: { name: "d", ...writeRebind(note) } })).toEqual(note);
  expect(readRebind({ metadata: { name: "d" } })).toBeUndefined();
});

test.each(["", "null", "[]", '{"volume":"x"}', '{"volume":"../x","policy":"Delete","claimUid":"c"}'])(
  "readRebind() of %o says nothing",
  (text) => {
    expect(readRebind(noted(text))).toBeUndefined();
  },
);

const download = {
  metadata: { name: "dd", namespace: "velero" },
  spec: { targetVolume: { namespace: "shop", pvc: "data", pv: "" } },
} as unknown as DataDownload;

test.each([
  ["the one that was filled", { namespace: "velero", name: "dd", uid: "c1" }, true],
  ["the one that the target has", { namespace: "shop", name: "data", uid: "t" }, true],
  ["one of another claim of the name", { namespace: "velero", name: "dd", uid: "other" }, false],
  ["somebody else's", { namespace: "bank", name: "money", uid: "c1" }, false],
  ["nobody's", null, false],
])("only a volume of the download is touched: %s", (_name, claimRef, ours) => {
  const volume = { metadata: { name: "pvc-1" }, spec: { claimRef } } as unknown as Volume;
  expect(isOurs(download, volume, "c1")).toBe(ours);
});

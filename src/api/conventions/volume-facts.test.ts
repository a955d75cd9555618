import { expect, test } from "vitest";
import { claimedVolumeFacts, sourceFacts } from "./volume-facts.ts";

test.each([
  ["a pod's volume", { name: "data", emptyDir: {} }, { type: "emptyDir" }],
  ["nfs", { nfs: { server: "s", path: "/p" } }, { type: "nfs", nfs: { server: "s", path: "/p" } }],
  [
    "csi",
    { capacity: {}, csi: { driver: "d", volumeAttributes: { a: "1" } } },
    { type: "csi", csi: { driver: "d", attributes: { a: "1" } } },
  ],
  ["nothing", {}, { type: undefined }],
])("sourceFacts() of %s", (_name, volume, want) => {
  expect(sourceFacts(volume)).toEqual(want);
});

test("claimedVolumeFacts() joins the volume and its claim", () => {
  const spec = { capacity: { storage: "1Ki" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/p" } };
  const claim = {
    metadata: { labels: { a: "b" } },
    spec: { storageClassName: "fast" },
    status: { phase: "Bound" },
  };
  expect(claimedVolumeFacts(spec, claim)).toEqual({
    type: "hostPath",
    capacityBytes: 1024,
    storageClass: "fast",
    pvcLabels: { a: "b" },
    pvcPhase: "Bound",
  });
});

import { expect, test } from "vitest";
import { zoneOf } from "./zone.ts";

const affinity = (key: string, ...values: string[]) => ({
  spec: {
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }] },
    },
  },
});

test.each([
  ["its label", { metadata: { labels: { "topology.kubernetes.io/zone": "a" } } }, "a"],
  ["its old label", { metadata: { labels: { "failure-domain.beta.kubernetes.io/zone": "b" } } }, "b"],
  ["a driver's affinity", affinity("topology.ebs.csi.aws.com/zone", "c"), "c"],
  ["several zones of one driver", affinity("topology.gke.io/zone", "d", "e"), "d__e"],
  ["a label as affinity", affinity("topology.kubernetes.io/zone", "f"), "f"],
  ["nothing", affinity("kubernetes.io/hostname", "node"), ""],
])("zoneOf() by %s", (_name, volume, want) => {
  expect(zoneOf(volume)).toBe(want);
});

import { claimedVolumeFacts, sourceFacts } from "../../../src/api/index.ts";
import { readPolicies, volumeAction } from "../../../src/engines/backup/policies.ts";
import { mutateText } from "../bytes.ts";
import { anyJson, hostileText, mutateJson } from "../json.ts";
import { target } from "../target.ts";

const sample = {
  version: "v1",
  volumePolicies: [
    {
      conditions: {
        capacity: "0,100Gi",
        storageClass: ["ssd"],
        nfs: { server: "s", path: "/p" },
        csi: { driver: "d", volumeAttributes: { a: "b" } },
        volumeTypes: ["emptyDir"],
        pvcLabels: { app: "shop" },
        pvcPhase: ["Pending"],
      },
      action: { type: "skip", parameters: {} },
    },
  ],
  includeExcludePolicy: {
    includedClusterScopedResources: ["*"],
    excludedNamespaceScopedResources: ["events"],
  },
};
const yaml = `version: v1
volumePolicies:
  - conditions: {capacity: "10Gi,", storageClass: [ssd], csi: {driver: x}}
    action: {type: fs-backup}
  - conditions: &all
      nfs: {}
    action: {type: snapshot}
  - conditions: *all
    action: {type: skip}
`;

export const policies = target<{ readonly text: string; readonly size: string }>({
  name: "policies",
  covers: "volume policies in a ConfigMap, YAML and JSON, and volumes that they are asked about",
  make: (random) => ({
    text: random.oneIn(2)
      ? JSON.stringify(mutateJson(random, sample))
      : mutateText(random, yaml, JSON.stringify(anyJson(random))),
    size: hostileText(random),
  }),
  run({ text, size }) {
    const read = readPolicies({ policy: text });
    if (typeof read === "string") return false;
    volumeAction(read, claimedVolumeFacts({ capacity: { storage: size }, csi: { driver: "x" } }, undefined));
    volumeAction(read, sourceFacts({ name: "a", nfs: { server: size, path: "/" } }));
    return undefined;
  },
});

import { expect, test } from "vitest";
import { pluginVolumeOf } from "./restore-snapshots.ts";

const object = (annotations: Record<string, string>, volumeID: string) => ({
  metadata: { name: "x", annotations },
  status: { phase: "InProgress", volumeID },
});

test("pluginVolumeOf() is the plugin's id, which is not the name of the PersistentVolume", () => {
  expect(pluginVolumeOf(object({ "headway.dev/plugin-volume": "/srv/v1" }, "pv-1"))).toBe("/srv/v1");
  expect(pluginVolumeOf(object({}, "/srv/v1")), "one that a plugin wrote itself").toBe("/srv/v1");
  expect(pluginVolumeOf(object({}, "")), "the operator ended while the plugin worked").toBeUndefined();
});

import { expect, test } from "vitest";
import { folderSettings, isBelow } from "./settings.ts";

test("folderSettings() reads what may be set", () => {
  expect(
    folderSettings({ path: "/s/", method: "copy", volumes: "/v", bytesPerSecond: "5", node: "n" }),
  ).toEqual({
    path: "/s",
    method: "copy",
    volumes: "/v",
    bytesPerSecond: 5,
    node: "n",
  });
});

test.each([
  [{}, 'setting "path" must be an absolute folder, not ""'],
  [{ path: "relative" }, "must be an absolute folder"],
  [{ path: "/s", method: "magic" }, 'setting "method" is none of auto, reflink, copy, hardlink'],
  [{ path: "/s", bytesPerSecond: "0" }, "must be a number from 1"],
  [{ path: "/s", volumes: "v" }, 'setting "volumes" must be an absolute folder'],
  [{ path: "/s", colour: "red" }, 'setting "colour" is not known'],
])("folderSettings() refuses %j", (config, want) => {
  expect(() => folderSettings(config as Record<string, string>)).toThrow(want);
});

test("isBelow() is not fooled", () => {
  expect(isBelow("/v", "/v/a")).toBe(true);
  expect(isBelow("/v", "/v/../etc")).toBe(false);
  expect(isBelow("/v", "/volumes/a")).toBe(false);
});

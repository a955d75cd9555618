import { expect, test } from "vitest";
import { complete, platformOf } from "./complete-lock.ts";

test.each([
  ["@biomejs/cli-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
  ["@rolldown/binding-win32-arm64-msvc", { os: ["win32"], cpu: ["arm64"] }],
  ["@oxc-parser/binding-wasm32-wasi", { cpu: ["wasm32"] }],
  ["fsevents", {}],
])("platformOf() reads %s", (name, want) => {
  expect(platformOf(name)).toEqual(want);
});

test("complete() adds what is missing and keeps what is there", () => {
  const lock = {
    packages: {
      "node_modules/tool": {
        dev: true,
        optionalDependencies: { "tool-linux-x64": "1.0.0", "tool-darwin-x64": "1.0.0" },
      },
      "node_modules/tool-linux-x64": { version: "1.0.0" },
    },
  };
  expect(complete(lock)).toEqual(["tool-darwin-x64"]);
  expect(lock.packages).toMatchObject({
    "node_modules/tool-linux-x64": { version: "1.0.0" },
    "node_modules/tool-darwin-x64": { version: "1.0.0", os: ["darwin"], dev: true, optional: true },
  });
  expect(complete(lock)).toEqual([]);
});

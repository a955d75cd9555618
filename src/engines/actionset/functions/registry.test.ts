import { expect, test } from "vitest";
import { signatures } from "./arguments.ts";
import { functionFor, rendersItself } from "./registry.ts";

test("every function that is not refused is run", () => {
  for (const [name, { required, refused }] of Object.entries(signatures)) {
    if (refused === undefined) expect(functionFor(name, required), name).toBeTypeOf("function");
    else
      expect(() => functionFor(name, required)).toThrow(expect.objectContaining({ code: "ACTION_FUNCTION" }));
  }
});

test("functionFor() tells unknown functions from wrong arguments", () => {
  expect(() => functionFor("Nope", [])).toThrow(expect.objectContaining({ code: "ACTION_FUNCTION" }));
  expect(() => functionFor("KubeTask", [])).toThrow(expect.objectContaining({ code: "ACTION_ARGUMENTS" }));
  expect(() => functionFor("toString", [])).toThrow(expect.objectContaining({ code: "ACTION_FUNCTION" }));
});

test("conditions are rendered by those who wait", () => {
  expect([rendersItself("Wait"), rendersItself("KubeTask"), rendersItself("Nope")]).toEqual([
    ["conditions"],
    [],
    [],
  ]);
});

import { expect, test } from "vitest";
import { storeConformance } from "./conformance.ts";
import { MemoryStore } from "./memory.ts";
import { prefixed } from "./prefixed.ts";

storeConformance({
  name: "prefixed()",
  open: () =>
    Promise.resolve({ store: prefixed(new MemoryStore(), "/some/where/"), close: () => Promise.resolve() }),
});

test("prefixed() keeps to its folder and says where it is", async () => {
  const whole = new MemoryStore();
  const below = prefixed(whole, "some/where");
  await whole.put("some/elsewhere", Buffer.from("x"));
  await below.put("a", Buffer.from("x"));
  expect(await whole.head("some/where/a")).toBeDefined();
  expect(below.place).toBe("memory/some/where");
  await expect(below.get("../elsewhere")).rejects.toMatchObject({ code: "STORE_KEY" });
  expect(prefixed(whole, "")).toBe(whole);
  expect(() => prefixed(whole, "a/../b")).toThrow('the part ".."');
});

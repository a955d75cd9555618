import { expect, test } from "vitest";
import { MemoryStore } from "../../store/index.ts";
import { markUnified, uniqueIdOf } from "./unified.ts";

const at = (suffix: "" | ".f") => ({ folder: "kopia/shop/", formatObject: "kopia.repository", suffix });
const signal = new AbortController().signal;
const format = JSON.stringify({ tool: "https://github.com/kopia/kopia", uniqueID: "rTU7Nf0iB1Q=" });

async function textOf(store: MemoryStore, key: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(await store.get(key))).toString();
}

test.each([
  ["", "kopia/shop/udmrepo.Repository"],
  [".f", "kopia/shop/udmrepo.Repository.f"],
] as const)("markUnified() writes upstream's mark with the ending %j once", async (suffix, key) => {
  const store = new MemoryStore();
  await store.put(`kopia/shop/kopia.repository${suffix}`, Buffer.from(format));
  await markUnified(store, at(suffix), signal);
  expect(await textOf(store, key)).toBe('{"uniqueID":"rTU7Nf0iB1Q="}');
  await store.put(key, Buffer.from("another's"));
  await markUnified(store, at(suffix), signal);
  expect(await textOf(store, key)).toBe("another's");
});

test("markUnified() marks nothing that is no repository", async () => {
  const store = new MemoryStore();
  await expect(markUnified(store, at(""), signal)).rejects.toMatchObject({ code: "STORE_MISSING" });
  await store.put("kopia/shop/kopia.repository", Buffer.alloc(100_000, "x"));
  await expect(markUnified(store, at(""), signal)).rejects.toMatchObject({ code: "STORED_INVALID" });
  await store.put("kopia/shop/kopia.repository", Buffer.from("{}"));
  await expect(markUnified(store, at(""), signal)).rejects.toMatchObject({ code: "MOVER_OUTPUT" });
  expect(await store.head("kopia/shop/udmrepo.Repository")).toBeUndefined();
});

test.each(["", {}, [], null, { uniqueID: 3 }, { uniqueID: "no base64" }, { uniqueID: "a".repeat(300) }])(
  "uniqueIdOf(%j) is none",
  (format) => {
    expect(uniqueIdOf(format)).toBeUndefined();
  },
);

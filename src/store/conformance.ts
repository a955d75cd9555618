import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Entry, Store } from "./store.ts";

/** A store to judge: opened once, and empty. */
export interface Subject {
  readonly name: string;
  /** Why it cannot be tested here; the suite is then skipped with this reason. */
  readonly skip?: string | undefined;
  /** False for an emulator that lets anybody read. */
  readonly checksSignatures?: boolean;
  open(): Promise<{ store: Store; close(): Promise<void> }>;
}

/** What every store must do. */
export function storeConformance(subject: Subject): void {
  const title = subject.skip === undefined ? subject.name : `${subject.name} (skipped: ${subject.skip})`;
  describe.skipIf(subject.skip !== undefined)(title, () => {
    let store: Store;
    let opened: { store: Store; close(): Promise<void> } | undefined;
    beforeAll(async () => {
      opened = await subject.open();
      store = opened.store;
    }, 60_000);
    afterAll(() => opened?.close());

    test("put() then get() gives the same bytes, from bytes and from a stream", async () => {
      await store.put("roundtrip/bytes", Buffer.from("hello"));
      expect(await text(store, "roundtrip/bytes")).toBe("hello");
      await store.put("roundtrip/stream", parts("hel", "", "lo"));
      expect(await text(store, "roundtrip/stream")).toBe("hello");
    });

    test("put() of nothing is an empty object, not a missing one", async () => {
      await store.put("empty/bytes", new Uint8Array());
      await store.put("empty/stream", parts());
      for (const key of ["empty/bytes", "empty/stream"]) {
        expect(await store.head(key)).toMatchObject({ key, bytes: 0 });
        expect(await text(store, key)).toBe("");
      }
    });

    test("put() replaces an object whole", async () => {
      await store.put("replace/a", Buffer.from("a long first version"));
      await store.put("replace/a", Buffer.from("short"));
      expect(await text(store, "replace/a")).toBe("short");
      expect(await store.head("replace/a")).toMatchObject({ bytes: 5 });
    });

    test("put() streams an object of several parts with its bytes in order", async () => {
      const want = createHash("sha256");
      await store.put("big/stream", noise(21 * 1024 * 1024 + 7, want));
      const got = createHash("sha256");
      let bytes = 0;
      for await (const chunk of await store.get("big/stream")) {
        got.update(chunk);
        bytes += chunk.length;
      }
      expect(bytes).toBe(21 * 1024 * 1024 + 7);
      expect(got.digest("hex")).toBe(want.digest("hex"));
      expect(await store.head("big/stream")).toMatchObject({ bytes });
    }, 60_000);

    test.each([
      ["at once", 10],
      ["after several parts", 20 * 1024 * 1024],
    ])(
      "put() whose source fails %s leaves nothing, or what was there",
      async (_when, bytes) => {
        const boom = new Error("boom");
        async function* failing(): AsyncGenerator<Uint8Array> {
          yield* noise(bytes);
          throw boom;
        }
        await store.put("fails/old", Buffer.from("old"));
        await expect(store.put("fails/new", failing())).rejects.toBe(boom);
        await expect(store.put("fails/old", failing())).rejects.toBe(boom);
        expect(await store.head("fails/new")).toBeUndefined();
        expect(await text(store, "fails/old")).toBe("old");
        expect(await keys(store.list("fails/"))).toEqual(["fails/old"]);
      },
      60_000,
    );

    test("put() that is canceled rejects with the reason and leaves nothing", async () => {
      const stop = new AbortController();
      const reason = new Error("canceled by test");
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (let i = 0; ; i += 1) {
          if (i === 200) stop.abort(reason);
          yield Buffer.alloc(100_000, i);
        }
      }
      await expect(store.put("canceled/a", endless(), stop.signal)).rejects.toBe(reason);
      expect(await store.head("canceled/a")).toBeUndefined();
      expect(await keys(store.list("canceled/"))).toEqual([]);
    }, 60_000);

    test("a signal that is aborted beforehand stops every call", async () => {
      const signal = AbortSignal.abort(new Error("no"));
      await store.put("aborted/a", Buffer.from("a"));
      await expect(store.put("aborted/b", Buffer.from("b"), signal)).rejects.toThrow("no");
      await expect(store.get("aborted/a", signal)).rejects.toThrow("no");
      await expect(keys(store.list("aborted/", {}, signal))).rejects.toThrow("no");
    });

    test("get() of nothing is STORE_MISSING and names the key", async () => {
      const fault = await store.get("not/there").catch((error: unknown) => error);
      expect(fault).toMatchObject({ code: "STORE_MISSING", message: expect.stringContaining("not/there") });
      await store.put("folder/file", Buffer.from("x"));
      await expect(store.get("folder")).rejects.toMatchObject({ code: "STORE_MISSING" });
    });

    test("get() that is not read to the end frees what it holds", async () => {
      await store.put("partial/a", Buffer.alloc(3_000_000));
      for await (const chunk of await store.get("partial/a")) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
      await store.delete("partial/a");
    });

    test("head() knows the size and the time, and what is not there", async () => {
      await store.put("head/a", Buffer.from("12345"));
      const facts = await store.head("head/a");
      expect(facts).toMatchObject({ key: "head/a", bytes: 5 });
      expect(Math.abs((facts?.modifiedAt?.getTime() ?? 0) - Date.now())).toBeLessThan(3_600_000);
      expect(await store.head("head/b")).toBeUndefined();
      expect(await store.head("head")).toBeUndefined();
    });

    test("list() gives keys in byte order, also where folders and files mix", async () => {
      const names = ["a", "a-b", "a.b/c", "a/b", "a/b-c", "aé", "b", "Z"];
      // A key that is a folder too is legal in S3 only.
      const wanted = names.filter((name) => name !== "a").map((name) => `order/${name}`);
      for (const key of wanted) await store.put(key, Buffer.from(key));
      const sorted = wanted.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
      expect(await keys(store.list("order/"))).toEqual(sorted);
      expect(await keys(store.list("order/", { delimiter: "/" }))).toEqual(
        ["order/Z", "order/a-b", "order/a.b/", "order/a/", "order/aé", "order/b"].toSorted((x, y) =>
          Buffer.compare(Buffer.from(x), Buffer.from(y)),
        ),
      );
    });

    test("list() takes a prefix that ends within a name", async () => {
      for (const key of ["within/ab/1", "within/abc", "within/b"]) await store.put(key, Buffer.from("x"));
      expect(await keys(store.list("within/ab"))).toEqual(["within/ab/1", "within/abc"]);
      expect(await keys(store.list("within/ab", { delimiter: "/" }))).toEqual(["within/ab/", "within/abc"]);
      expect(await keys(store.list("within/nothing"))).toEqual([]);
      expect(await keys(store.list("no-such-folder/"))).toEqual([]);
    });

    test("list() goes past one page", async () => {
      const wanted = Array.from({ length: 1_050 }, (_, i) => `pages/${String(i).padStart(5, "0")}`);
      for (let at = 0; at < wanted.length; at += 50) {
        await Promise.all(wanted.slice(at, at + 50).map((key) => store.put(key, Buffer.from("x"))));
      }
      expect(await keys(store.list("pages/"))).toEqual(wanted);
      expect(await store.deletePrefix("pages/")).toBe(1_050);
      expect(await keys(store.list("pages/"))).toEqual([]);
    }, 120_000);

    test("delete() removes one object, and twice is no error", async () => {
      await store.put("delete/a", Buffer.from("a"));
      await store.put("delete/ab", Buffer.from("ab"));
      await store.delete("delete/a");
      await store.delete("delete/a");
      expect(await keys(store.list("delete/"))).toEqual(["delete/ab"]);
    });

    test("a folder is gone with its last object", async () => {
      await store.put("gone/deep/er/a", Buffer.from("a"));
      await store.delete("gone/deep/er/a");
      expect(await keys(store.list("gone", { delimiter: "/" }))).toEqual([]);
    });

    test("deletePrefix() removes the folder and not its neighbour", async () => {
      for (const key of ["purge/a/1", "purge/a/b/2", "purge/ab"]) await store.put(key, Buffer.from("x"));
      expect(await store.deletePrefix("purge/a/")).toBe(2);
      expect(await keys(store.list("purge/"))).toEqual(["purge/ab"]);
      await expect(store.deletePrefix("purge/a")).rejects.toMatchObject({ code: "STORE_KEY" });
      await expect(store.deletePrefix("")).rejects.toMatchObject({ code: "STORE_KEY" });
    });

    test.each([
      ["../up"],
      ["a/../../up"],
      ["/abs"],
      ["a//b"],
      ["a/./b"],
      [""],
      ["a\u0000b"],
      ["a\nb"],
      ["a/"],
    ])("the key %j is refused", async (key) => {
      const refused = { code: "STORE_KEY" };
      await expect(store.put(key, Buffer.from("x"))).rejects.toMatchObject(refused);
      await expect(store.get(key)).rejects.toMatchObject(refused);
      await expect(store.head(key)).rejects.toMatchObject(refused);
      await expect(store.delete(key)).rejects.toMatchObject(refused);
    });

    test("names with every character that Kubernetes and people use survive", async () => {
      const names = [
        "a.b-c_d",
        "space here",
        "plus+and&amp",
        "percent%2F",
        "quo'te\"s",
        "ünï",
        "日本",
        "💾",
        "a:b",
        "~x",
        "%",
      ];
      for (const name of names) await store.put(`odd/${name}/f`, Buffer.from(name));
      for (const name of names) expect(await text(store, `odd/${name}/f`)).toBe(name);
      expect((await keys(store.list("odd/"))).toSorted()).toEqual(
        names.map((name) => `odd/${name}/f`).toSorted(),
      );
      expect(await store.deletePrefix("odd/")).toBe(names.length);
    });

    test("signedUrl() gives an address that works, or none", async () => {
      await store.put("signed/a b", Buffer.from("signed content"));
      const url = await store.signedUrl("signed/a b", 60);
      if (url === undefined) return;
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe("signed content");
      if (subject.checksSignatures === false) return;
      // 404 is how Azure hides what is not public.
      expect([403, 404], "without the signature").toContain((await fetch(url.replace(/\?.*$/, ""))).status);
    });
  });
}

async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const one of texts) yield Buffer.from(one);
}

/** Bytes that differ from place to place, in chunks of odd sizes. */
async function* noise(total: number, hash = createHash("sha256")): AsyncGenerator<Uint8Array> {
  for (let left = total, i = 0; left > 0; i += 1) {
    const chunk = Buffer.alloc(Math.min(left, 65_521 + i), `${i}.`);
    left -= chunk.length;
    hash.update(chunk);
    yield chunk;
  }
}

async function text(store: Store, key: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await store.get(key)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function keys(entries: AsyncIterable<Entry>): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of entries) found.push("prefix" in entry ? entry.prefix : entry.object.key);
  return found;
}

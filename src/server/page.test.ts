import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { isPagePath, loadPage, servePage } from "./page.ts";

const folder = mkdtempSync(join(tmpdir(), "page-"));
mkdirSync(join(folder, "assets"));
writeFileSync(join(folder, "index.html"), "<!doctype html><p>hello</p>");
writeFileSync(join(folder, "assets/a-1.js"), "let a = 1;");
writeFileSync(join(folder, "assets/notes.txt"), "not part of a page");
afterAll(() => rmSync(folder, { recursive: true }));

async function ask(path: string, headers: Record<string, string> = {}) {
  const page = loadPage(folder);
  return page && servePage(page, new Request(`http://localhost${path}`, { headers }));
}

test("servePage() gives the page for every address that it draws, with a policy that lets nothing in", async () => {
  for (const path of ["/", "/operations/backup/velero/shop", "/../../etc/passwd"]) {
    const answer = await ask(path);
    expect(await answer?.text()).toContain("hello");
    expect(answer?.headers.get("cache-control")).toBe("no-cache");
    const policy = answer?.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  }
});

test("servePage() gives built files for ever, compressed for whoever can read that", async () => {
  const plain = await ask("/assets/a-1.js");
  expect(plain?.headers.get("content-type")).toMatch(/javascript/);
  expect(plain?.headers.get("cache-control")).toContain("immutable");
  const zipped = await ask("/assets/a-1.js", { "accept-encoding": "gzip, br" });
  expect(zipped?.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(Buffer.from((await zipped?.bytes()) ?? [])).toString()).toBe("let a = 1;");
});

test("servePage() knows only what was built", async () => {
  expect(await ask("/assets/none.js")).toBeUndefined();
  expect(await ask("/assets/notes.txt")).toBeUndefined();
  expect(loadPage(join(folder, "assets"))).toBeUndefined();
});

test("isPagePath() leaves out everything that holds data", () => {
  expect(["/", "/create/backup", "/assets/x.js"].map(isPagePath)).toEqual([true, true, true]);
  expect(["/api/stream", "/api/about", "/metrics", "/healthz"].map(isPagePath)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { united, type Watched } from "../../src/observe/index.ts";
import { type ClusterPart, listen, tokenAuthorizer } from "../../src/server/index.ts";
import { noBrowser, openBrowser, openTab, violations } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { anOperation, FakeObserver } from "../harness/fake-observer.ts";
import { browserTest, shownNames } from "../harness/page-suite.ts";

const stop = new AbortController();
let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await openBrowser();
});
afterAll(async () => {
  stop.abort();
  await browser?.close();
});

function fake(): FakeObserver & Watched {
  return Object.assign(new FakeObserver(), { synced: () => Promise.resolve() });
}

/** One of a crowd, its number in its name and its share. */
function member(i: number, done: number) {
  return anOperation(`op-${String(i).padStart(4, "0")}`, {
    startedAt: 1_700_000_000_000 - i,
    fraction: done / 1_000,
    progress: { unit: "items", done, total: 1_000, movedAt: 0 },
  });
}

browserTest(
  "two thousand operations: only what is seen is drawn, to the last row, while they change",
  async () => {
    const observer = fake();
    for (let i = 0; i < 2_000; i++) observer.set(member(i, 0));
    const { url } = await listen(
      { observer, authorizer: tokenAuthorizer("crowd"), address: "127.0.0.1:0" },
      stop.signal,
    );
    const { page, clean } = await openTab(browser, `${url}/operations#token=crowd`);
    await page.getByText("2000 running").waitFor();
    expect((await shownNames(page))[0]).toBe("op-0000");
    expect((await shownNames(page)).length).toBeLessThan(60);
    expect(await violations(page)).toEqual([]);
    await page.locator("[data-row-link]").first().focus();
    const focused = () => page.evaluate<string>("document.activeElement.innerText");
    for (let i = 1; i <= 30; i++) {
      const name = `op-00${String(i).padStart(2, "0")}`;
      // Keys that come before the next rows are drawn have nowhere to go: a person presses again.
      await eventually(
        async () => {
          if ((await focused()) !== name) await page.keyboard.press("ArrowDown");
          return focused();
        },
        (now) => now === name,
      );
    }
    await page.evaluate("document.querySelector('.hw-rows').scrollIntoView({ block: 'end' })");
    const last = page.locator(".hw-rows [role=row]", { hasText: "op-1999" });
    await last.waitFor();
    expect((await shownNames(page)).length).toBeLessThan(60);
    for (let i = 0; i < 2_000; i++) observer.set(member(i, 420));
    await last.getByText("420 of 1000 items").waitFor();
    expect(await last.getAttribute("aria-rowindex")).toBe("2001");
    await page.getByLabel("Find by name").fill("op-17");
    await eventually(
      () => page.getByRole("table").getAttribute("aria-rowcount"),
      (count) => count === "101",
    );
    clean();
  },
);

browserTest(
  "several clusters stand in one list; one that is away is told, and the others go on",
  async () => {
    const [blue, green] = [fake(), fake()];
    blue.set(anOperation("same"));
    green.set(anOperation("same", { state: "completed", finishedAt: Date.now() }));
    const object = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "same" } };
    // The two things that the page of an operation asks for.
    const client = { list: async () => [], get: async () => object } as unknown as ClusterPart["client"];
    const part = (reach: () => Promise<unknown>) => ({ client, writes: true, reach });
    const { url } = await listen(
      {
        observer: united(
          new Map<string, Watched>([
            ["blue", blue],
            ["admin@green/eu", green],
          ]),
        ),
        authorizer: tokenAuthorizer("several"),
        address: "127.0.0.1:0",
        clusters: new Map([
          ["blue", part(async () => undefined)],
          ["admin@green/eu", part(() => Promise.reject(new Error("no route to host")))],
        ]),
      },
      stop.signal,
    );
    const { page, clean } = await openTab(browser, `${url}/operations#token=several`);
    await page.getByText("Cluster admin@green/eu cannot be reached").waitFor();
    await page.getByText("no route to host").waitFor();
    expect(await shownNames(page)).toEqual(["same", "same"]);
    expect(await violations(page)).toEqual([]);
    blue.set(anOperation("new"));
    await page.locator("[data-row-link]", { hasText: "new" }).waitFor();
    await page.getByRole("button", { name: "Cluster" }).click();
    await page.locator(".pf-v6-c-menu").getByText("admin@green/eu", { exact: true }).click();
    await eventually(
      () => shownNames(page),
      (all) => all.length === 1,
    );
    expect(page.url()).toBe(`${url}/operations?cluster=admin%40green%2Feu`);
    await page.reload();
    await page.locator("[data-row-link]").click();
    await page.locator("h1 + [data-state=completed]").waitFor();
    await page.getByText("admin@green/eu / velero / same").waitFor();
    // A second tab of the same browser gets the token from the first, and shows the same address.
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.locator("h1 + [data-state=completed]").waitFor();
    // Another port is another origin: nothing of it is known there.
    expect(await page.context().cookies()).toEqual([]);
    clean();
  },
);

browserTest("a cluster where nothing ran says what to do, and axe finds nothing wrong with it", async () => {
  const { url } = await listen(
    { observer: fake(), authorizer: tokenAuthorizer("none"), address: "127.0.0.1:0" },
    stop.signal,
  );
  const { page, clean } = await openTab(browser, `${url}/operations#token=none`);
  await page.getByRole("heading", { name: "Nothing runs here yet" }).waitFor();
  expect(await violations(page)).toEqual([]);
  clean();
});

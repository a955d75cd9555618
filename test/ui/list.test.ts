import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noBrowser, openBrowser, openTab, shownBar, violations } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { moveVolume, parade } from "../harness/page-parade.ts";
import { PageWorld } from "../harness/page-world.ts";

const gib = 1024 ** 3;
let world: PageWorld;
let browser: Browser;

beforeAll(async () => {
  if (noBrowser) return;
  [world, browser] = await Promise.all([PageWorld.open(), openBrowser()]);
  await parade(world);
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const suite = test.skipIf(noBrowser !== undefined);
const names = (page: Page) => page.locator("[data-row-link]").allInnerTexts();

suite("the list shows what runs and what ran, problems first, and bars move but never back", async () => {
  const { page, clean } = await openTab(browser, world.server.address());
  await page.locator("[data-row-link]").first().waitFor();
  expect((await names(page)).slice(0, 2)).toEqual(["blog-to-cloud", "blog-sunday"]);
  const row = page.locator(".hw-rows [role=row]", { hasText: "shop-nightly" });
  const label = "Backup shop-nightly";
  const before = (await shownBar(page, label)).at(-1) ?? 0;
  for (const share of [0.4, 0.75, 0.6, 0.95]) {
    await moveVolume(world, "shop-nightly-uploads", 8 * gib, share);
    await moveVolume(world, "shop-nightly-database", 4 * gib, share);
    await moveVolume(world, "shop-nightly-search", 12 * gib, share);
    await eventually(
      async () => world.read<never>("PodVolumeBackup", "shop-nightly-uploads"),
      (read) => JSON.stringify(read).includes(String(Math.round(8 * gib * share))),
    );
    await new Promise((resolve) => setTimeout(resolve, 300)); // so that the fall is seen by the page before the rise
  }
  const shown = await eventually(
    () => shownBar(page, label),
    (all) => (all.at(-1) ?? 0) > before + 5,
  );
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  await eventually(
    () => row.innerText(),
    (text) => /[MG]iB\/s/.test(text),
  );
  // The token is taken out of the address.
  expect(page.url()).toBe(`${world.server.url}/`);
  clean();
});

suite("axe finds nothing wrong with the list, light, dark and narrow", async () => {
  for (const options of [
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { viewport: { width: 400, height: 800 } },
  ] as const) {
    const { page, clean } = await openTab(browser, world.server.address(), options);
    await page.locator("[data-row-link]").first().waitFor();
    expect(await violations(page)).toEqual([]);
    const wide = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
    expect(wide).toBeLessThanOrEqual(0);
    clean();
  }
});

suite("filters narrow the list, stand in the address, and come back with it", async () => {
  const { page, clean } = await openTab(browser, world.server.address());
  await page.locator("[data-row-link]").first().waitFor();
  await page.getByLabel("Find by name").fill("blog");
  await eventually(
    () => names(page),
    (all) => all.length === 2,
  );
  await page.getByRole("button", { name: "Kind" }).click();
  await page.locator(".pf-v6-c-menu").getByText("Migration", { exact: true }).click();
  await eventually(
    () => names(page),
    (all) => all.join() === "blog-to-cloud",
  );
  expect(page.url()).toBe(`${world.server.url}/?q=blog&kind=migration`);
  await page.reload();
  await page.locator("[data-row-link]").first().waitFor();
  expect(await names(page)).toEqual(["blog-to-cloud"]);
  await page.getByRole("button", { name: "Show all" }).click();
  await eventually(
    () => names(page),
    (all) => all.length > 5,
  );
  await page.getByLabel("Find by name").fill("nothing has this name");
  await page.getByText("No operation passes these filters").waitFor();
  expect(await violations(page)).toEqual([]);
  clean();
});

suite("the theme follows the system, and what was chosen stays", async () => {
  const { page, clean } = await openTab(browser, world.server.address(), { colorScheme: "dark" });
  const isDark = () => page.evaluate("document.documentElement.classList.contains('pf-v6-theme-dark')");
  expect(await isDark()).toBe(true);
  const colour = String(
    await page.evaluate("getComputedStyle(document.querySelector('.hw-page main, main')).color"),
  );
  await page.getByRole("button", { name: "Use the light theme" }).click();
  expect(await isDark()).toBe(false);
  expect(
    await page.evaluate("getComputedStyle(document.querySelector('.hw-page main, main')).color"),
  ).not.toBe(colour);
  await page.reload();
  await page.locator("[data-row-link]").first().waitFor();
  expect(await isDark()).toBe(false);
  clean();
});

suite("everything can be reached with the keyboard alone", async () => {
  const { page, clean } = await openTab(browser, world.server.address());
  await page.locator("[data-row-link]").first().waitFor();
  const focused = () =>
    page.evaluate("document.activeElement.innerText || document.activeElement.ariaLabel || ''").then(String);
  const tabTo = async (words: RegExp) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      if (words.test(await focused())) return;
    }
    throw new Error(`Tab never reached ${words}`);
  };
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Skip to content");
  await tabTo(/^blog-to-cloud$/);
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("blog-sunday");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "blog-to-cloud" }).waitFor();
  await tabTo(/^Restore volumes$/);
  await page.keyboard.press("Enter");
  expect(page.url()).toContain("step=VolumeRestore");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();
  clean();
});

suite("nobody is let in without a token, and a wrong one is told", async () => {
  const { page, clean } = await openTab(browser, `${world.server.url}/`);
  await page.getByRole("heading", { name: "This page needs a token" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("this is none that is known").waitFor();
  await page.getByLabel("Token").fill("page-test-token");
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator("[data-row-link]").first().waitFor();
  expect((await page.request.get(`${world.server.url}/api/operations`)).status()).toBe(401);
  clean();
});

suite("names and messages from the cluster are text, whatever they say", async () => {
  const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
  await world.create("Backup", "hostile");
  await world.write("Backup", "hostile", {
    phase: "Failed",
    failureReason: evil,
    completionTimestamp: new Date().toISOString(),
  });
  const { page, clean } = await openTab(browser, world.addressOf("Backup", "hostile"));
  await page.getByText(evil).first().waitFor();
  expect(await page.title()).toBe("Headway");
  expect(await page.locator("img[src=x]").count()).toBe(0);
  await page.goto(world.server.address());
  await page.getByText(evil).first().waitFor();
  expect(await page.title()).toBe("Headway");
  clean();
});

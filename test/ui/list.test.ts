import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noBrowser, openBrowser, openTab, violations } from "../harness/browser.ts";
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

const suite = noBrowser ? test.skip : test;

suite("the list shows what runs and what ran, problems first, and bars move", async () => {
  const { page, clean } = await openTab(browser, world.address());
  const names = page.locator("[data-row-link]");
  await names.first().waitFor();
  expect(await page.getByText("Needs attention").isVisible()).toBe(true);
  expect(await page.locator(".hw-row--head").innerText()).toContain("Progress");
  const row = page.locator(".hw-rows [role=row]", { hasText: "shop-nightly" });
  const bar = row.getByRole("progressbar");
  const before = Number(await bar.getAttribute("aria-valuenow"));
  await moveVolume(world, "shop-nightly-uploads", 8 * gib, 0.8);
  await eventually(
    async () => Number(await bar.getAttribute("aria-valuenow")),
    (now) => now > before,
  );
  await expect(row.innerText()).resolves.toMatch(/MiB\/s|GiB\/s/);
  // The token is gone from the address, and what was typed there is not in the history either.
  expect(page.url()).toBe(`${world.url}/`);
  clean();
});

suite("axe finds nothing wrong with the list, light and dark", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page, clean } = await openTab(browser, world.address(), { colorScheme });
    await page.locator("[data-row-link]").first().waitFor();
    expect(await violations(page)).toEqual([]);
    clean();
  }
});

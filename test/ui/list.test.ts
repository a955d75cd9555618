import { expect } from "vitest";
import { openTab, shownBar, violations } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { moveVolume } from "../harness/page-parade.ts";
import { browserTest, pageSuite, shownNames } from "../harness/page-suite.ts";

const gib = 1024 ** 3;
const suite = pageSuite();

browserTest(
  "the list shows what runs and what ran, problems first, and bars move but never back",
  async () => {
    const { page, clean } = await openTab(suite.browser, suite.world.server.address());
    await page.locator("[data-row-link]").first().waitFor();
    expect((await shownNames(page)).slice(0, 2)).toEqual(["blog-to-cloud", "blog-sunday"]);
    const row = page.locator(".hw-rows [role=row]", { hasText: "shop-nightly" });
    const label = "Backup shop-nightly";
    const before = (await shownBar(page, label)).at(-1) ?? 0;
    const move = async (database: number, uploads: number, search: number, shows: RegExp) => {
      await moveVolume(suite.world, "shop-nightly-database", 4 * gib, database);
      await moveVolume(suite.world, "shop-nightly-uploads", 8 * gib, uploads);
      await moveVolume(suite.world, "shop-nightly-search", 12 * gib, search);
      await row.getByText(shows).waitFor({ timeout: 60_000 });
    };
    await move(0.7, 0.7, 0.7, /16\.8 GiB of 24\.0 GiB/);
    await move(0.8, 0.8, 0.8, /19\.2 GiB of 24\.0 GiB/);
    // Two fall before the third rises: what is shown of the third was drawn after the fall. The bar must not follow it.
    await move(0.5, 0.5, 0.9, /(20\.4|16\.8) GiB of 24\.0 GiB/);
    await move(0.95, 0.95, 0.95, /22\.8 GiB of 24\.0 GiB/);
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
    expect(page.url()).toBe(`${suite.world.server.url}/operations`);
    clean();
  },
);

browserTest("axe finds nothing wrong with the list and its menus, wide and narrow", async () => {
  for (const [viewport, menu] of [
    [{ width: 1360, height: 900 }, "State"],
    [{ width: 390, height: 800 }, "Start"],
  ] as const) {
    const { page, clean } = await openTab(suite.browser, suite.world.server.address(), { viewport });
    await page.locator("[data-row-link]").first().waitFor();
    expect(await violations(page)).toEqual([]);
    const wide = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
    expect(wide).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: menu, exact: true }).click();
    await page.locator(".pf-v6-c-menu").waitFor();
    expect(await violations(page)).toEqual([]);
    clean();
  }
});

browserTest("filters narrow the list, stand in the address, and come back with it", async () => {
  const { page, clean } = await openTab(suite.browser, suite.world.server.address());
  await page.locator("[data-row-link]").first().waitFor();
  await page.getByLabel("Find by name").fill("blog");
  await eventually(
    () => shownNames(page),
    (all) => all.length === 2,
  );
  await page.getByRole("button", { name: "Kind" }).click();
  await page.locator(".pf-v6-c-menu").getByText("Migration", { exact: true }).click();
  await eventually(
    () => shownNames(page),
    (all) => all.join() === "blog-to-cloud",
  );
  expect(page.url()).toBe(`${suite.world.server.url}/operations?q=blog&kind=migration`);
  await page.reload();
  await page.locator("[data-row-link]").first().waitFor();
  expect(await shownNames(page)).toEqual(["blog-to-cloud"]);
  await page.getByRole("button", { name: "Show all" }).click();
  await eventually(
    () => shownNames(page),
    (all) => all.length > 5,
  );
  await page.getByLabel("Find by name").fill("nothing has this name");
  await page.getByText("No operation passes these filters").waitFor();
  expect(await violations(page)).toEqual([]);
  clean();
});

browserTest("the theme follows the system, and what was chosen stays", async () => {
  const { page, clean } = await openTab(suite.browser, suite.world.server.address(), { colorScheme: "dark" });
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

browserTest("everything can be reached with the keyboard alone", async () => {
  const { page, clean } = await openTab(suite.browser, suite.world.server.address());
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

browserTest("nobody is let in without a token, and a wrong one is told", async () => {
  const { page, clean } = await openTab(suite.browser, `${suite.world.server.url}/operations`);
  await page.getByRole("heading", { name: "This page needs a token" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("a valid bearer token is required").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Token").fill("page-test-token");
  await page.getByRole("button", { name: "Open" }).click();
  // From now on it opens everything, also after a reload.
  await page.locator("[data-row-link]", { hasText: "shop-sunday" }).click();
  await page.getByRole("button", { name: "YAML and log" }).click();
  await page.getByText("kind: Backup").waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "shop-sunday" }).waitFor();
  expect((await page.request.get(`${suite.world.server.url}/api/operations`)).status()).toBe(401);
  clean();
});

browserTest("names and messages from the cluster are text, whatever they say", async () => {
  const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
  await suite.world.create("Backup", "hostile");
  await suite.world.write("Backup", "hostile", {
    phase: "Failed",
    failureReason: evil,
    completionTimestamp: new Date().toISOString(),
  });
  const { page, clean } = await openTab(suite.browser, suite.world.addressOf("Backup", "hostile"));
  await page.getByText(evil).first().waitFor();
  expect(await page.title()).toBe("failed: hostile · Headway");
  expect(await page.locator("img[src=x]").count()).toBe(0);
  await page.goto(suite.world.server.address());
  await page.getByText(evil).first().waitFor();
  expect(await page.title()).toBe("Headway");
  clean();
});

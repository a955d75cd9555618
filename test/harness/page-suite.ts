import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { noBrowser, openBrowser } from "./browser.ts";
import { parade } from "./page-parade.ts";
import { PageWorld } from "./page-world.ts";

/** A file of browser tests over one parade: everything at once, in one browser. */
export interface PageSuite {
  readonly world: PageWorld;
  readonly browser: Browser;
}

/** Opens a world and a browser for all tests of a file; they are there when the tests run. Unless told otherwise, the world holds a parade. */
export function pageSuite(arrange: (world: PageWorld) => Promise<void> = parade): PageSuite {
  const opened: { world?: PageWorld; browser?: Browser } = {};
  beforeAll(async () => {
    if (noBrowser) return;
    [opened.world, opened.browser] = await Promise.all([PageWorld.open(), openBrowser()]);
    await arrange(opened.world);
  });
  afterAll(async () => {
    await opened.browser?.close();
    await opened.world?.close();
  });
  return {
    get world() {
      return there(opened.world);
    },
    get browser() {
      return there(opened.browser);
    },
  };
}

/** A test that needs a browser. */
export const browserTest = test.skipIf(noBrowser !== undefined);

/** The names of the list as far as it is drawn, in its order. */
export function shownNames(page: Page): Promise<string[]> {
  return page.locator("[data-row-link]").allInnerTexts();
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("asked for before the tests began");
  return value;
}

import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine: CHROMIUM, or where Debian and others put it. */
export const browserProgram = [process.env["CHROMIUM"] ?? "", ...programs].find(existsSync);

/** Why there are no browser tests here; undefined when there are. */
export const noBrowser = browserProgram === undefined ? "no Chromium on this machine" : undefined;

/** Starts the machine's own Chromium. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(browserProgram !== undefined && { executablePath: browserProgram }),
    // Root needs it without a sandbox, and containers have a small /dev/shm.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

/** A tab that notes everything that must not happen: script errors, refused content, requests to elsewhere. */
export interface Tab {
  readonly page: Page;
  /** Fails when anything was noted. */
  readonly clean: () => void;
}

/** Opens a tab at an address; those of earlier tests, which would go on drawing, are closed. */
export async function openTab(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  await Promise.all(browser.contexts().map((earlier) => earlier.close()));
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  await context.addInitScript(barWatch);
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    // A server that is away is told by the browser, too; the page has its own words for it.
    if (message.type() === "error" && !/net::ERR_|status of 40[0-9]/.test(text))
      faults.push(`console: ${text}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) faults.push(`request to ${request.url()}`);
  });
  await page.goto(address);
  return { page, clean: () => expect(faults).toEqual([]) };
}

/** Runs in the page before everything else: notes every percent that any bar ever showed. */
const barWatch = `
  window.shownBars = {};
  const note = (bar) => {
    const now = bar.getAttribute("aria-valuenow");
    const shown = (window.shownBars[bar.getAttribute("aria-label")] ??= []);
    if (now !== null && shown.at(-1) !== Number(now)) shown.push(Number(now));
  };
  const look = () => document.querySelectorAll("[role=progressbar]").forEach(note);
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-valuenow"] });
`;

/** The percents that a bar has shown, in their order. */
export async function shownBar(page: Page, label: string): Promise<readonly number[]> {
  const all = (await page.evaluate("window.shownBars")) as Readonly<Record<string, readonly number[]>>; // as the watch notes it
  return all[label] ?? [];
}

/** What axe finds wrong with the page as it is now, in the light and in the dark theme: theme, rule and place of each. */
export async function violations(page: Page): Promise<readonly string[]> {
  // The page's own policy refuses every script, so axe comes in beside it.
  await page.evaluate(axe.source);
  const wasDark = await page.evaluate<boolean>(prefersDark);
  const found: string[] = [];
  for (const dark of [wasDark, !wasDark]) {
    const theme = dark ? "dark" : "light";
    await page.emulateMedia({ colorScheme: theme });
    await page
      .locator(dark ? "html.pf-v6-theme-dark" : "html:not(.pf-v6-theme-dark)")
      .waitFor({ state: "attached" });
    await page.evaluate(settled);
    const here = (await page.evaluate(runAxe(dark === wasDark ? {} : colors))) as readonly string[]; // it makes strings
    found.push(...here.map((words) => `${theme}: ${words}`));
  }
  await page.emulateMedia({ colorScheme: wasDark ? "dark" : "light" });
  return found;
}

const prefersDark = "matchMedia('(prefers-color-scheme: dark)').matches";

/** Colors that fade are judged when they have arrived; what turns for ever is not waited for. */
const settled = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < 60_000)
    .map(({ finished }) => finished))`;

/** The rules that a theme can break; the others see the same page in both. */
const colors = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

const runAxe = (options: object) => `axe
  .run(${JSON.stringify({ resultTypes: ["violations"], ...options })})
  .then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`;

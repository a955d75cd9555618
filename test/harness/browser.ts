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

/** Opens a tab at an address. */
export async function openTab(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
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

/** What axe finds wrong with the page as it is now: rule and place of each. */
export async function violations(page: Page): Promise<readonly string[]> {
  // The page's own policy refuses every script, so axe comes in beside it.
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).join(', ')))",
  );
  return found as readonly string[]; // the expression above makes strings
}

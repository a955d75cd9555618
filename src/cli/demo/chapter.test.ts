import { expect, test } from "vitest";
import { type Chapter, type Scene, tell } from "./chapter.ts";

// No chapter of these tests touches the cluster; what they say is what is looked at.
function sceneSaying(said: string[]): Scene {
  return { say: (words) => void said.push(words) } as Pick<Scene, "say"> as Scene;
}

const chapter = (title: string, more: Partial<Chapter> = {}): Chapter => ({
  title,
  run: (scene) => Promise.resolve(scene.say(`${title} told`)),
  ...more,
});

test("tell() numbers the chapters and tells them in order", async () => {
  const said: string[] = [];
  const heading = (words: string) => void said.push(words);
  await tell([chapter("one"), chapter("two")], sceneSaying(said), heading, 2);
  expect(said).toEqual(["2. one", "one told", "3. two", "two told"]);
});

test("tell() says why a chapter is left out, and goes on", async () => {
  const said: string[] = [];
  const heading = (words: string) => void said.push(words);
  await tell([chapter("one", { skip: () => "no node" }), chapter("two")], sceneSaying(said), heading);
  expect(said).toEqual(["1. one", "left out: no node", "2. two", "two told"]);
});

test("tell() ends with the chapter that failed", async () => {
  const said: string[] = [];
  const failing = chapter("one", { run: () => Promise.reject(new Error("no")) });
  await expect(tell([failing, chapter("two")], sceneSaying(said), () => {})).rejects.toThrow("no");
  expect(said).toEqual([]);
});

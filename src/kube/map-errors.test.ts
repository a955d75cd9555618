import { expect, test } from "vitest";
import { mapErrors } from "./map-errors.ts";

test("mapErrors() covers what is thrown, rejected and listed", async () => {
  const fail = () => {
    throw new Error("a");
  };
  class Place {
    readonly #name = "place";
    readonly kind = "kind";
    name() {
      return this.#name;
    }
    throws = fail;
    async rejects() {
      fail();
    }
    async *lists() {
      yield 1;
      fail();
    }
    async opens() {
      return this.lists();
    }
  }
  const place = mapErrors(new Place(), (error) => new Error(`${(error as Error).message}, mapped`));
  expect([place.kind, place.name()]).toEqual(["kind", "place"]);
  expect(() => place.throws()).toThrow("a, mapped");
  await expect(place.rejects()).rejects.toThrow("a, mapped");
  await expect(Array.fromAsync(place.lists())).rejects.toThrow("a, mapped");
  await expect(place.opens().then((all) => Array.fromAsync(all))).rejects.toThrow("a, mapped");
});

/** An object whose methods throw what `map` makes of what they threw; promises and listings included. */
export function mapErrors<T extends object>(target: T, map: (error: unknown) => unknown): T {
  return new Proxy(target, {
    get: (object, key) => {
      const value: unknown = Reflect.get(object, key, object);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => guard(() => Reflect.apply(value, object, args) as unknown, map);
    },
  });
}

function guard(work: () => unknown, map: (error: unknown) => unknown): unknown {
  let answer: unknown;
  try {
    answer = work();
  } catch (error) {
    throw map(error);
  }
  if (answer instanceof Promise) {
    return answer.then(
      (found: unknown) => (isListing(found) ? listing(found, map) : found),
      (error: unknown) => {
        throw map(error);
      },
    );
  }
  return isListing(answer) ? listing(answer, map) : answer;
}

function isListing(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function* listing(
  all: AsyncIterable<unknown>,
  map: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  try {
    yield* all;
  } catch (error) {
    throw map(error);
  }
}

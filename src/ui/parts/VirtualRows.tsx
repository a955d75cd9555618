import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

interface VirtualRowsProps<T> {
  readonly items: readonly T[];
  readonly heightOf: (item: T) => number;
  readonly keyOf: (item: T) => string;
  readonly draw: (item: T, index: number) => ReactNode;
}

/** Rows drawn beyond what is seen, on each side, so that scrolling and tabbing find them there. */
const spare = 8;

/** Draws only the rows that can be seen, each at its place; thousands cost as much as a screenful. */
export function VirtualRows<T>({ items, heightOf, keyOf, draw }: VirtualRowsProps<T>) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 900 });
  const look = useCallback(() => {
    const box = place.current?.getBoundingClientRect();
    if (!box) return;
    // Steps of 60 px: a scroll of less draws nothing anew.
    const top = Math.floor(Math.max(0, -box.top) / 60) * 60;
    setView((old) => (old.top === top && old.height === innerHeight ? old : { top, height: innerHeight }));
  }, []);
  useLayoutEffect(look);
  useEffect(() => {
    // Scrolling happens in a parent; its events do not bubble but are seen on their way down.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    return () => {
      document.removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [look]);
  const tops: number[] = [];
  let total = 0;
  for (const item of items) {
    tops.push(total);
    total += heightOf(item);
  }
  const from = Math.max(0, firstAfter(tops, view.top) - 1 - spare);
  const to = Math.min(items.length, firstAfter(tops, view.top + view.height) + spare);
  return (
    <div className="hw-rows" role="rowgroup" ref={place} style={{ height: total }}>
      {items.slice(from, to).map((item, i) => (
        <div
          key={keyOf(item)}
          role="presentation"
          className="hw-rows__place"
          style={{ transform: `translateY(${tops[from + i] ?? 0}px)`, height: heightOf(item) }}
        >
          {draw(item, from + i)}
        </div>
      ))}
    </div>
  );
}

/** The first index whose top lies beyond an offset. */
function firstAfter(tops: readonly number[], offset: number): number {
  let [low, high] = [0, tops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

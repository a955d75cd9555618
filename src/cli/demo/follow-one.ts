import { AppError } from "../../errors.ts";
import type { Observer } from "../../observe/index.ts";
import { isTerminal, type Operation } from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { LiveView } from "../render/live.ts";
import { treeLines } from "../render/tree.ts";

/** Shows one operation until it has ended: a live tree on a terminal, a line for each new percent otherwise. */
export async function followOne(
  observer: Observer,
  id: string,
  io: Io,
  signal: AbortSignal,
): Promise<Operation> {
  const view = io.terminal ? live(io, io.terminal) : lines(io);
  try {
    const end = await new Promise<Operation>((resolve, reject) => {
      const take = (operation: Operation | undefined) => {
        if (!operation) return;
        view.show(operation);
        if (isTerminal(operation.state)) resolve(operation);
      };
      const leave = observer.subscribe((frame) => {
        if (frame.id === id) take(frame.operation);
      });
      signal.addEventListener("abort", () => (leave(), reject(signal.reason)), { once: true });
      take(observer.operation(id));
    });
    if (end.state !== "completed") {
      throw new AppError(
        "DEMO_FAILED",
        `${end.title} ended ${end.state}${end.message ? `: ${end.message}` : ""}`,
      );
    }
    return end;
  } finally {
    view.end();
  }
}

interface View {
  show(operation: Operation): void;
  end(): void;
}

function live(io: Io, size: { readonly columns: number; readonly rows: number }): View {
  const view = new LiveView({ write: (text) => io.out(text), size: () => size });
  return {
    show: (operation) =>
      view.update(() =>
        treeLines(operation, Date.now(), { columns: size.columns, color: io.color, rows: size.rows - 2 }),
      ),
    end: () => view.end(),
  };
}

function lines(io: Io): View {
  let before = "";
  let last: Operation | undefined;
  const draw = (operation: Operation) => treeLines(operation, Date.now(), { columns: 110, color: false });
  return {
    show(operation) {
      last = operation;
      const [head = ""] = draw({ ...operation, children: [] });
      const percent = `${operation.state} ${Math.floor((operation.fraction ?? 0) * 10)}`;
      if (percent !== before) io.out(`${head}\n`);
      before = percent;
    },
    end() {
      if (last) io.out(`${draw(last).slice(1).join("\n")}\n`);
    },
  };
}

/** A server-sent event; a missing id is undefined. */
interface ReadEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

interface EventReader {
  readonly status: number;
  readonly received: ReadEvent[];
  /** Returns the events that follow, until one of this name. */
  readonly until: (event: string) => Promise<ReadEvent[]>;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** Opens a stream of events. */
export async function readEvents(url: string, headers: Record<string, string>): Promise<EventReader> {
  const controller = new AbortController();
  const { status, body } = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  const received: ReadEvent[] = [];
  let isOver = false;
  let told = (): void => undefined;
  const read = async (): Promise<void> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of body ?? []) {
      const blocks = (text + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      received.push(...blocks.flatMap(eventIn));
      told();
    }
  };
  const ended = read()
    .catch(() => undefined)
    .then(() => {
      isOver = true;
      told();
    });
  let taken = 0;
  const until = async (name: string): Promise<ReadEvent[]> => {
    for (;;) {
      const end = received.findIndex(({ event }, index) => index >= taken && event === name);
      if (end >= 0) return received.slice(taken, (taken = end + 1));
      if (isOver) throw new Error(`the stream has ended without ${name}`);
      await new Promise<void>((resolve) => (told = resolve));
    }
  };
  return { status, received, until, ended, close: () => controller.abort() };
}

function eventIn(block: string): ReadEvent[] {
  const fields = new Map(
    block.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      return name === '' ? [] : [[name, value] as const];
    }),
  );
  const event = fields.get('event');
  return event === undefined ? [] : [{ event, id: fields.get('id'), data: fields.get('data') ?? '' }];
}

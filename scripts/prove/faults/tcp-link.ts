import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

/** A port in front of another, whose connections can be slowed, held and cut. */
export interface TcpLink {
  readonly port: number;
  /** Delays every byte in either direction from now on, by a number of milliseconds. */
  delay(milliseconds: number): void;
  /** Lets nothing through, and answers nobody. */
  block(): void;
  /** Cuts what was held, and lets new connections through. */
  unblock(): void;
  /** Resets all connections. */
  cut(): void;
  /** Resets the connection of the next request that contains a text when its reply arrives, after `lost` has run. */
  loseReply(text: string, lost?: () => Promise<void>): void;
  close(): Promise<void>;
}

const nothing = (): void => undefined;

/** The port itself, which cannot be disturbed. */
export const directLink = (port: number): TcpLink => ({
  port,
  delay: nothing,
  block: nothing,
  unblock: nothing,
  cut: nothing,
  loseReply: nothing,
  close: () => Promise.resolve(),
});

interface LinkState {
  delay: number;
  isBlocked: boolean;
  /** The request whose reply will be lost; null if none will. */
  losing: { readonly text: string; readonly lost: () => Promise<void> } | null;
}

/** Resets a connection when the reply to the request arrives that is to be lost. */
function loseReplies(near: Socket, far: Socket, state: LinkState): void {
  near.on('data', (chunk) => {
    const { losing } = state;
    if (losing === null || !chunk.includes(losing.text)) return;
    state.losing = null;
    far.removeAllListeners('data');
    far.once('data', () => void losing.lost().finally(() => near.resetAndDestroy()));
  });
}

/** Listens in front of a port of this machine. `port`: 0 for any. */
export async function linkTo(target: number): Promise<TcpLink> {
  const sockets = new Set<Socket>();
  const state: LinkState = { delay: 0, isBlocked: false, losing: null };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = createConnection({ port: target, host: '127.0.0.1' });
    loseReplies(near, far, state);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(from);
      from.on('data', (chunk) => {
        if (state.isBlocked) from.pause();
        else if (state.delay > 0) setTimeout(() => to.write(chunk), state.delay);
        else to.write(chunk);
      });
      from.once('close', () => setTimeout(() => to.destroy(), state.delay));
    }
  });
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    delay: (milliseconds) => (state.delay = milliseconds),
    block: () => (state.isBlocked = true),
    unblock: () => {
      state.isBlocked = false;
      cut();
    },
    cut,
    loseReply: (text, lost = () => Promise.resolve()) => (state.losing = { text, lost }),
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

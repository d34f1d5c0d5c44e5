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
  close(): Promise<void>;
}

/** Listens in front of a port of this machine. `port`: 0 for any. */
export async function linkTo(target: number): Promise<TcpLink> {
  const sockets = new Set<Socket>();
  const state = { delay: 0, isBlocked: false };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = createConnection({ port: target, host: '127.0.0.1' });
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
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

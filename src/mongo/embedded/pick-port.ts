import { createServer } from 'node:net';

/** `wanted` if it is free on 127.0.0.1, else one that is; 0 stands for any. */
export const pickPort = async (wanted: number): Promise<number> => {
  const port = (await tryPort(wanted)) ?? (await tryPort(0));
  if (port === undefined) throw new Error('No free port was found on 127.0.0.1');
  return port;
};

const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? address?.port : undefined);
      });
    });
  });

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The requests of a connection that have come, and the answer to the last one. */
interface Line {
  last: ServerResponse;
  waiting: number;
}

/** Requests that may wait behind another one of their connection. */
const mostWaiting = 100;

/**
 * Handles the requests of a connection one after the other. A client need not wait for an answer before it sends the next request, and
 * Node would handle all of them at once: a connection could take the places of thousands of others, and their answers would wait in
 * memory for the first one to be read. A connection on which more than 100 requests wait is cut.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, { last: response, waiting: 0 });
      handle(request, response);
      return;
    }
    const before = line.last;
    line.last = response;
    if (before.closed) handle(request, response);
    else waitInLine(line, before, () => void (socket.destroyed || handle(request, response)), request);
  };
}

/** Calls a function when an answer is sent. Requests of a connection that is closed then are not handled. */
function waitInLine(line: Line, before: ServerResponse, begin: () => void, { socket }: IncomingMessage): void {
  line.waiting += 1;
  if (line.waiting > mostWaiting) socket.destroy();
  before.once('close', () => {
    line.waiting -= 1;
    begin();
  });
}

import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** An event as a receiver has got it. */
export interface ReceivedEvent {
  readonly id: string;
  readonly entry: number;
  readonly value: number;
}

/** A process that receives webhooks: reports each to its parent before it answers. Its arguments are the port and the secret. */
const [, , port = '', secret = ''] = process.argv;
const webhook = new Webhook(secret);

createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const headers = request.headers as Record<string, string>; // those of a signature are texts
    const { data } = webhook.verify(Buffer.concat(pieces).toString(), headers) as {
      data: { entry: { id: number; value: number } };
    };
    const received: ReceivedEvent = { id: String(headers['webhook-id']), entry: data.entry.id, value: data.entry.value };
    process.send?.(received, () => response.writeHead(204).end());
  });
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));

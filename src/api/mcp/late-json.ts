import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';

/** What stands for the JSON of an answer while the protocol checks and writes its message. Clients never see it, so that none can send it. */
const place = randomUUID();
const structure = { [place]: true };

/** The result of a tool whose answer is written once, and put into the message twice: as structured content, and as text. */
export const laterResult: CallToolResult = { content: [{ type: 'text', text: place }], structuredContent: structure };

const [textPlace, structurePlace] = [JSON.stringify(place), JSON.stringify(structure)];

/** Returns a message with the JSON of an answer in place of what stands for it. */
export const withJson = (message: string, json: string): string =>
  message.replace(structurePlace, () => json).replace(textPlace, () => JSON.stringify(json));

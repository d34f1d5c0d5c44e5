import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { isRecord, type Values } from '#base/values.js';
import { readable } from '#model/query/access.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { shortName } from './arguments.js';
import { findEntriesTool } from './read-tools.js';
import { orProtocolError } from './refusals.js';
import { mayUse } from './served-types.js';

/** Serves the entries of the type that the configuration names as prompts; none if it names no type. */
export function servePrompts(server: Server, call: AgentCall): void {
  const { prompts: uid } = call.running.config.api.mcp;
  if (uid === null) return;
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', ({ params }) => orProtocolError(call, () => listPrompts(uid, params?.cursor, call)));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: values = {} } }) =>
    orProtocolError(call, () => readPrompt(uid, { name, values }, call)),
  );
}

const fields = ['name', 'description', 'template', 'arguments'];

/** Returns the fields of a type of prompts that the caller may read; null if there are no prompts for it. */
function fieldsOf(uid: string, call: AgentCall): readonly string[] | null {
  const { registry, access } = call.content.bind;
  const type = registry.types.get(uid);
  if (type === undefined || !mayUse('find', type, call)) return null;
  const shown = fields.filter((name) => readable(type, name, access)?.kind === 'scalar');
  return shown.includes('name') ? shown : null;
}

async function listPrompts(uid: string, cursor: string | undefined, call: AgentCall) {
  const shown = fieldsOf(uid, call);
  if (shown === null) return { prompts: [] };
  const page = await findEntriesTool.run({ type: uid, fields: shown, ...(cursor !== undefined && { cursor }) }, call);
  const next = page['nextCursor'];
  const prompts = (page['entries'] as readonly Values[]).map(promptOf).filter(({ name }) => name !== '');
  return { prompts, ...(typeof next === 'string' && { nextCursor: next }) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const promptOf = (entry: Values): Prompt => ({
  name: textOf(entry['name']),
  ...(textOf(entry['description']) !== '' && { description: textOf(entry['description']) }),
  arguments: argumentsOf(entry),
});

const argumentsOf = ({ arguments: listed }: Values): NonNullable<Prompt['arguments']> =>
  (Array.isArray(listed) ? listed : []).flatMap((one: unknown) => {
    if (!isRecord(one) || typeof one['name'] !== 'string') return [];
    const { name, description, required } = one;
    return [{ name, ...(typeof description === 'string' && { description }), ...(required === true && { required }) }];
  });

interface PromptCall {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Returns the text of a prompt with the values of its arguments in place of `{{name}}`. */
async function readPrompt(uid: string, { name, values }: PromptCall, call: AgentCall): Promise<GetPromptResult> {
  const shown = fieldsOf(uid, call);
  const filters = { name: { $eq: name } };
  const page = shown === null ? null : await findEntriesTool.run({ type: uid, fields: shown, filters, limit: 1 }, call);
  const [entry] = (page?.['entries'] ?? []) as readonly Values[];
  if (entry === undefined) throw refusal(`Unknown prompt: ${shortName(name)}`);
  const missing = argumentsOf(entry).filter((one) => one.required === true && values[one.name] === undefined);
  if (missing.length > 0) throw refusal(`Missing arguments: ${missing.map((one) => one.name).join(', ')}`);
  const maxBytes = maxBytesOf(call);
  const text = fill(textOf(entry['template']), values, maxBytes);
  if (text === null || '_truncated' in entry)
    throw refusal(`The prompt has more than ${String(maxBytes)} bytes (api.mcp.maxBytes)`);
  const { description } = promptOf(entry);
  return { ...(description !== undefined && { description }), messages: [{ role: 'user', content: { type: 'text', text } }] };
}

const refusal = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

const place = /\{\{\s*([\w-]+)\s*\}\}/g;

/** Returns a template with values in place of their names; null if that would be longer than `most` bytes. */
function fill(template: string, values: PromptCall['values'], most: number): string | null {
  const valueOf = (name: string): string => (Object.hasOwn(values, name) ? (values[name] ?? '') : '');
  const added = [...template.matchAll(place)].reduce((sum, [, name = '']) => sum + Buffer.byteLength(valueOf(name)), 0);
  return Buffer.byteLength(template) + added > most ? null : template.replaceAll(place, (_, name: string) => valueOf(name));
}

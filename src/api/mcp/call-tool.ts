import type { CallToolResult } from '@modelcontextprotocol/server';
import { ApiError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { checkArguments, type InputSchema } from './arguments.js';
import { fitEntry, fits, jsonText } from './bounded-answer.js';
import { corrections } from './corrections.js';
import { laterResult } from './late-json.js';
import { reportRefusal } from './refusals.js';
import { StaleVersion } from './run-write.js';
import type { Tool } from './tool.js';

/** The result of a tool, and the JSON of the answer that it stands for; null if there is none. */
interface CalledTool {
  readonly result: CallToolResult;
  readonly json: string | null;
}

/** Calls a tool. Its errors are answers that a model reads, and so can correct its call. */
export async function callTool(tool: Tool, input: Values, call: AgentCall): Promise<CalledTool> {
  try {
    const { inputSchema } = tool.definition;
    const checked = tool.isUnchecked === true ? input : checkArguments(input, inputSchema as InputSchema); // that of each other tool
    return { result: laterResult, json: jsonText(fitEntry(await tool.run(checked, call), maxBytesOf(call))) };
  } catch (error) {
    return { result: refusalOf(error, input, call), json: null };
  }
}

/** The arguments of tools that stand for parameters and headers of REST. */
const argumentNames = [
  ['pagination[after]', 'cursor'],
  ['pagination[limit]', 'limit'],
  ['Idempotency-Key', 'key'],
] as const;

const withArguments = (message: string): string =>
  argumentNames.reduce((text, [name, argument]) => text.replaceAll(name, argument), message);

const longestMessage = 1_000;

/** Returns an error as an answer: its message with what a model should have written, its details, and the current entry if they fit. */
function refusalOf(thrown: unknown, input: Values, call: AgentCall): CallToolResult {
  const { status, name, message, details } = reportRefusal(thrown, call);
  const hints = thrown instanceof ApiError ? corrections(thrown, input, call) : [];
  const text = [withArguments(message.slice(0, longestMessage)), ...hints].join('; ');
  const brief = { error: { status, name, message: text } };
  const maxBytes = maxBytesOf(call);
  const listed = isRecord(details) && Object.keys(details).length > 0 ? { error: { ...brief.error, details } } : brief;
  const error = fits(listed, maxBytes / 2) ? listed : brief;
  const current = thrown instanceof StaleVersion && thrown.entry !== null ? { entry: thrown.entry } : {};
  const answer = fitEntry({ ...error, ...current }, maxBytes);
  const parts = [
    ...('details' in error.error ? [error.error.details] : []),
    ...('entry' in answer ? [{ entry: answer['entry'] }] : []),
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: [text, ...parts.map((part) => JSON.stringify(part))].join('\n') }],
    structuredContent: answer,
  };
}

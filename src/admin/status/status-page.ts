import { html, type Html, type HtmlPart } from '#http/page-answer.js';
import { parameterOf, type RouteRequest } from '#http/route-request.js';
import { decodeId } from '#base/values.js';
import type { PanelAction, PanelCall } from '../panel-route.js';

/** A page for administrators below `/_status`. It only reads. */
export interface StatusPage {
  /** The last part of its path. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly right: PanelAction;
  readonly render: (call: PanelCall) => Promise<Html>;
}

/** A page of a list. */
interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly pageCount: number;
}

/** Returns the page of a list that `?page=` asks for; the first one by default, and the last one beyond it. */
export function pageOf<Item>(all: readonly Item[], request: RouteRequest, size: number): ListPage<Item> {
  const pageCount = Math.max(Math.ceil(all.length / size), 1);
  const page = Math.min(numberIn(request, 'page') || 1, pageCount);
  return { items: all.slice((page - 1) * size, page * size), page, pageCount };
}

/** Returns the number in a parameter of an address; 0 if there is none. */
export function numberIn(request: RouteRequest, name: string): number {
  const value = parameterOf(request, name);
  return typeof value === 'string' ? decodeId(value) : 0;
}

/** Returns the links to the pages of a list; nothing if it has one page. `before` comes before the number in their addresses. */
export function pager({ page, pageCount }: ListPage<unknown>, before = ''): Html | null {
  if (pageCount === 1) return null;
  const link = (to: number, text: string): Html | null =>
    to < 1 || to > pageCount ? null : html`<a href="?${before}page=${to}">${text}</a> `;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${link(page - 1, 'Previous')}<span>Page ${page} of ${pageCount}</span> ${link(page + 1, 'Next')}
  </nav>`;
}

/** A line about something: a name and values. Lines without values are left out. */
export type Fact = readonly [name: string, values: readonly HtmlPart[]];

export const facts = (lines: readonly Fact[]): Html =>
  html`<dl>
    ${lines
      .filter(([, values]) => values.length > 0)
      .map(
        ([name, values]) =>
          html`<dt>${name}</dt>
            ${shorten(values)}`,
      )}
  </dl>`;

/** Most values of a line. */
const mostValues = 100;

function shorten(values: readonly HtmlPart[]): Html[] {
  const items = values.slice(0, mostValues).map((value) => html`<dd>${value}</dd>`);
  const more = values.length - mostValues;
  return more > 0 ? [...items, html`<dd>and ${more} more</dd>`] : items;
}

export const code = (text: string): Html => html`<code>${text}</code>`;

/** Returns a time such as `2026-02-03 09:05:00 UTC`. */
export const time = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Returns a number with its noun: `1 model`, `2 models`. */
export const count = (number: number, noun: string): string => `${String(number)} ${noun}${number === 1 ? '' : 's'}`;

import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLID,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { ContentType } from '#model/schema/content-type.js';
import type { Row } from '../../code/rows.js';
import { changeName } from '../type-names.js';
import { define } from './object-types.js';
import { plainField, type SchemaContext } from './schema-context.js';

/** What a client of a subscription does. */
export interface EntryChange {
  readonly op: 'upsert' | 'delete' | 'uptodate' | 'reset';
  /** The id of an entry; null for the other operations. */
  readonly id: number | null;
  /** Where the client goes on; null after a reset. */
  readonly token: string | null;
  /** The entry as it is now; null unless it is there. */
  readonly entry: Row | null;
}

const operationType = new GraphQLEnumType({
  name: 'Change_Operation',
  values: {
    upsert: { description: 'The entry is new, or has changed.' },
    delete: { description: 'The entry is gone, or is no longer among those that were asked for.' },
    uptodate: { description: 'Everything was sent.' },
    reset: { description: 'What was sent is no longer valid: begin anew without a token.' },
  },
});

/** Returns the type of the changes of a content type. */
export const changeType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, changeName(type), context, () => ({
    op: plainField(new GraphQLNonNull(operationType)),
    id: plainField(GraphQLID),
    token: plainField(GraphQLString),
    entry: plainField(context.objects.entity(type, context)),
  }));

/** Asks for the answer to a query, and then for what changes in it. */
export const liveDirective = new GraphQLDirective({
  name: 'live',
  description: 'Sends the answer, and then its changes as JSON Patch.',
  locations: [DirectiveLocation.QUERY],
});

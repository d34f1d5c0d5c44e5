import { expect } from 'chai';
import { MongoBulkWriteError, MongoNetworkError, MongoNotConnectedError, MongoServerError } from 'mongodb';
import { ApiError } from '#base/errors.js';
import { translateDriverError } from '#store/send/driver-errors.js';

/** Errors of a command, and whether they are a 503 if the driver wraps them as the error of a write in bulk. */
const causes: readonly (readonly [cause: Error, isUnavailable: boolean])[] = [
  [new MongoNotConnectedError('no server was found'), true],
  [new MongoNetworkError('the connection was closed'), true],
  [new MongoServerError({ message: 'the primary has stepped down', code: 189 }), true],
  [new MongoServerError({ message: 'a bug', code: 9 }), false],
];

describe('an error of a write in bulk', () => {
  for (const [cause, isUnavailable] of causes)
    it(`${isUnavailable ? 'is' : 'is not'} a 503: ${cause.message}`, () => {
      const wrapped: unknown = Reflect.construct(MongoBulkWriteError, [cause, {}]);
      const error = translateDriverError(wrapped);
      expect(error instanceof ApiError ? error.status : null).to.equal(isUnavailable ? 503 : null);
    });
});

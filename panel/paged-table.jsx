import { useIntl } from 'react-intl';
import { useInfiniteQuery } from 'react-query';
import styled from 'styled-components';
import { Box, Button, Table, Tbody, Td, Th, Thead, Tr, Typography, VisuallyHidden } from '@strapi/design-system';
import { read } from './client.js';
import { label } from './texts.js';

/** Returns the message of a refused request. */
export const messageOf = (error) => error.response?.data?.error?.message ?? String(error);

/**
 * Returns the rows of a list of the admin API, page by page. `paramsOf` returns the parameters of the page that begins after some rows;
 * undefined if the service has no such page.
 */
export function usePages(key, path, { pageSize, paramsOf, ...options }) {
  const readPage = ({ pageParam: start = 0 }) => read(path, paramsOf(start));
  const { data, ...query } = useInfiniteQuery(key, readPage, {
    retry: false,
    getNextPageParam: (last, { length }) =>
      last.length < pageSize || paramsOf(length * pageSize) === undefined ? undefined : length * pageSize,
    ...options,
  });
  return { rows: data?.pages.flat() ?? [], ...query };
}

/** Returns the parameters of lists with `page` and `pageSize`. */
export const byPage = (pageSize) => ({ pageSize, paramsOf: (start) => ({ page: start / pageSize + 1, pageSize }) });

// in a narrow window each row is a block of its own
const Rows = styled(Box)`
  overflow-x: auto;
  @media (max-width: 767px) {
    table,
    tbody,
    tr,
    td {
      display: block;
      height: auto;
    }
    thead {
      position: absolute;
      clip-path: inset(50%);
    }
    tr {
      padding: 12px 0;
    }
    td,
    td:first-of-type {
      padding: 4px 16px;
      white-space: normal;
    }
  }
`;

/**
 * The table of a list that is read page by page: rows, a button for more of them, and what is said if there are none or the service
 * refuses; rows that are there stay if it refuses more. A column has a `title`, and `show`, which returns its cell; the title of
 * `isHidden` ones is not seen.
 */
export function PagedTable({ columns, query, none, keyOf = (_, index) => index }) {
  const { formatMessage } = useIntl();
  const { rows, error, hasNextPage, fetchNextPage, isFetching } = query;
  const refusal = error !== null && <Typography textColor="danger600">{messageOf(error)}</Typography>;
  if (rows.length === 0) return refusal || (isFetching ? null : <Typography>{none}</Typography>);
  return (
    <>
      <Rows>
        <Table colCount={columns.length} rowCount={rows.length + 1}>
          <Head columns={columns} />
          <Tbody>
            {rows.map((row, index) => (
              <Tr key={keyOf(row, index)}>
                {columns.map(({ title, show }) => (
                  <Td key={title}>
                    <Cell>{show(row, index)}</Cell>
                  </Td>
                ))}
              </Tr>
            ))}
          </Tbody>
        </Table>
      </Rows>
      {refusal && <Box paddingTop={4}>{refusal}</Box>}
      {hasNextPage && (
        <Box paddingTop={4}>
          <Button variant="secondary" onClick={() => fetchNextPage()} loading={isFetching}>
            {formatMessage(label('table.more'))}
          </Button>
        </Box>
      )}
    </>
  );
}

const Head = ({ columns }) => (
  <Thead>
    <Tr>
      {columns.map(({ title, isHidden }) => (
        <Th key={title}>
          {isHidden ? <VisuallyHidden>{title}</VisuallyHidden> : <Typography variant="sigma">{title}</Typography>}
        </Th>
      ))}
    </Tr>
  </Thead>
);

const Cell = ({ children }) => (typeof children === 'object' ? children : <Typography>{children}</Typography>);

/** Rows that are there already, in the place of those of `usePages`. */
export const allOf = (rows) => ({ rows, error: null, hasNextPage: false, isFetching: false });

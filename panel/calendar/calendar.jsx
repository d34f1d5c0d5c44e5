import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useQuery } from 'react-query';
import styled from 'styled-components';
import { Box, Button, ContentLayout, Flex, HeaderLayout, Main, Typography } from '@strapi/design-system';
import { Link } from '@strapi/helper-plugin';
import { Clock } from '@strapi/icons';
import { read } from '../client.js';
import { EntryLink } from '../entry-link.jsx';
import { messageOf } from '../paged-table.jsx';
import { page as releases } from '../releases/release-texts.js';
import { label } from '../texts.js';
import { daysOf, monthOf, weeksOf } from './month.ts';

/** The page with what is published, unpublished and released at a time, by months. */
export const calendar = {
  name: 'calendar',
  links: [
    {
      to: '/plugins/mangrove-calendar',
      icon: Clock,
      intlLabel: label('calendar.title'),
      permissions: [],
      Component: async () => ({ default: CalendarPage }),
    },
  ],
};

/** The most events that the service answers. */
const most = 500;

function CalendarPage() {
  const { formatMessage, formatDate } = useIntl();
  const [month, setMonth] = useState(() => monthOf(new Date()));
  const params = weeksOf(month);
  const path = '/admin/api/calendar';
  const { data, error } = useQuery([path, params], () => read(path, params), { retry: false });
  const days = daysOf(month, data ?? []);
  const none = data !== undefined && days.every(({ isInMonth, events }) => !isInMonth || events.length === 0);
  const partly = data?.length === most;
  return (
    <Main aria-busy={data === undefined && error === null}>
      <HeaderLayout title={formatMessage(label('calendar.title'))} subtitle={formatMessage(label('calendar.subtitle'))} />
      <ContentLayout>
        <Flex direction="column" alignItems="stretch" gap={4}>
          <Flex gap={4} wrap="wrap" justifyContent="space-between">
            <Typography variant="beta" as="h2">
              {formatDate(month, { month: 'long', year: 'numeric' })}
            </Typography>
            <Months onMove={(later) => setMonth(monthOf(later === 0 ? new Date() : month, later))} />
          </Flex>
          {error !== null && <Typography textColor="danger600">{messageOf(error)}</Typography>}
          {none && <Typography>{formatMessage(label('calendar.none'))}</Typography>}
          {partly && <Typography>{formatMessage(label('calendar.partly'), { count: most })}</Typography>}
          <Days days={days} />
        </Flex>
      </ContentLayout>
    </Main>
  );
}

function Months({ onMove }) {
  const { formatMessage } = useIntl();
  const moves = { previous: -1, today: 0, next: 1 };
  return (
    <Flex gap={2} wrap="wrap">
      {Object.entries(moves).map(([name, later]) => (
        <Button key={name} variant="tertiary" onClick={() => onMove(later)}>
          {formatMessage(label(`calendar.${name}`))}
        </Button>
      ))}
    </Flex>
  );
}

// seven days in a row; in a narrow window a list of the days on which something happens
const Grid = styled.ol`
  display: grid;
  grid-template-columns: repeat(7, minmax(0, 1fr));
  gap: 1px;
  background: ${({ theme }) => theme.colors.neutral200};
  border: 1px solid ${({ theme }) => theme.colors.neutral200};
  > li {
    min-height: 96px;
    padding: 8px;
    background: ${({ theme }) => theme.colors.neutral0};
  }
  > li[data-outside] {
    background: ${({ theme }) => theme.colors.neutral100};
  }
  @media (max-width: 767px) {
    display: block;
    > li {
      min-height: 0;
      padding: 12px 16px;
    }
    > li[data-empty] {
      display: none;
    }
  }
`;

const Days = ({ days }) => (
  <Grid>
    {days.map(({ date, isInMonth, events }) => (
      <li key={date.toISOString()} {...(!isInMonth && { 'data-outside': '' })} {...(events.length === 0 && { 'data-empty': '' })}>
        <DayName date={date} isInMonth={isInMonth} />
        {events.map((event, index) => (
          <Event key={index} {...event} />
        ))}
      </li>
    ))}
  </Grid>
);

function DayName({ date, isInMonth }) {
  const { formatDate } = useIntl();
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <Typography
      variant="pi"
      as="div"
      fontWeight={isToday ? 'bold' : undefined}
      textColor={isToday ? 'primary600' : isInMonth ? 'neutral800' : 'neutral500'}
    >
      {formatDate(date, { weekday: 'short', day: 'numeric' })}
    </Typography>
  );
}

function Event({ at, action, uid, id, label: name, locale }) {
  const { formatMessage, formatDate } = useIntl();
  const text = name ?? `${uid} ${id}`;
  return (
    <Box paddingTop={2} style={{ overflowWrap: 'anywhere' }}>
      {action === 'release' ? (
        <Link to={`${releases}/${id}`}>{text}</Link>
      ) : (
        <EntryLink {...{ uid, id, locale }}>{text}</EntryLink>
      )}
      <Typography variant="pi" textColor="neutral600" as="div">
        {[formatDate(at, { timeStyle: 'short' }), formatMessage(label(`calendar.${action}`)), locale].filter(Boolean).join(' · ')}
      </Typography>
    </Box>
  );
}

"""Programs made by chance, as people and models write them over S3: many are right, some fail, some catch what fails.

`programs(seed)` gives the same list for the same seed. A program takes rows from somewhere, does a few things with
them, and ends in one of several ways.
"""

from __future__ import annotations

import random

BUCKETS = ("larkfield-office", "larkfield-sales", "larkfield-scratch")

ROWS = (
    "rows = [{'Key': k, 'Size': len(k) * 7 % 11} for k in 'a/b.txt a/c.csv d.TXT e/f/g.md h.csv'.split()]",
    "rows = s3.list_objects(Bucket='{bucket}').get('Contents', [])",
    "rows = s3.list_objects(Bucket='{bucket}', Prefix='{prefix}').get('Contents', [])",
    "rows = [row for row in s3.list_objects(Bucket='{bucket}')['Contents'] if row['Size'] > {n}]",
    "rows = []\nfor name in ('{bucket}', 'larkfield-scratch'):\n"
    "    rows += s3.list_objects(Bucket=name, MaxKeys={n} + 1).get('Contents', [])",
)

STEPS = (
    "rows = sorted(rows, key=lambda row: (row['Size'], row['Key']))",
    "rows.sort(key=lambda row: row['Key'].lower(), reverse={truth})",
    "rows = sorted(rows, key=lambda row: -row['Size'])[:{n}]",
    "rows = [row for row in rows if '{letter}' in row['Key']]",
    "rows = [{{**row, 'Key': row['Key'].replace('/', '_')}} for row in rows]",
    "rows = [row for number, row in enumerate(rows) if number % 2 == 0]",
    "for row in rows:\n    row['Folder'] = row['Key'].rpartition('/')[0] or None\n    del row['Size']\n"
    "    row['Size'] = len(row['Key'])",
    "if len(rows) > {n}:\n    del rows[{n}]",
    "del rows[{n}:]",
    "while rows and rows[-1]['Size'] < {n}:\n    rows.pop()",
    "seen = {{}}\nfor row in rows:\n    seen.setdefault(row['Key'].split('.')[-1], []).append(row)\n"
    "rows = [row for kind in sorted(seen) for row in seen[kind]]",
    "first, *rest = rows or [{{'Key': 'none', 'Size': 0}}]\nrows = rest + [first]",
    "def wanted(row, least={n}):\n    return row['Size'] >= least\nrows = list(filter(wanted, rows))",
    "total = 0\nfor row in rows:\n    total += row['Size']\nelse:\n    print(f'{{total:>8,}}')",
    "rows = [row for row in rows if (size := row['Size']) % 2 or size > {n}]",
    "print('%s of %d' % ('rows', len(rows)), end='!')",
)

ENDS = (
    "return [row['Key'] for row in rows]",
    "return {{row['Key']: row['Size'] for row in rows}}",
    "return [[row['Key'].upper(), f\"{{row['Size']:05d}}|{{row['Key']!r:>{n}}}\"] for row in rows]",
    "return sum(row['Size'] for row in rows) / len(rows)",
    "return max(rows, key=lambda row: row['Size'])['Key']",
    "return [[part[::-1] for part in row['Key'].split('/') if part] for row in rows]",
    "return {{folder: [row['Key'] for row in rows if row['Key'].startswith(folder)]\n"
    "        for folder in sorted({{row['Key'].split('/')[0] for row in rows}})}}",
    "return '\\n'.join(f\"{{row['Key']:<20}}{{row['Size'] / 3:.2f}}\" for row in rows)",
    "return [sorted(row.items(), key=lambda item: item[0])[:1] for row in rows]",
    "return any(row['Size'] > {n} for row in rows), all(row['Key'] for row in rows), len(rows)",
    "return rows[{n}]['Key']",
    "return rows[0]['Owner']",
    "return rows['Key']",
    "return int(rows[0]['Key'] if rows else 'none')",
    "from collections import Counter\nreturn Counter(row['Key'][-3:] for row in rows).most_common({n})",
    "import json\nreturn json.loads(json.dumps([row['Key'] for row in rows], indent=1))",
    "from datetime import datetime, timedelta, timezone\n"
    "day = datetime(2025, 5, {n}, tzinfo=timezone.utc) + timedelta(days={n})\n"
    "return [day.strftime('%d %B %Y'), day.isoformat(), (day - timedelta(hours=5)).weekday(), len(rows)]",
    "import math\nreturn [math.floor(row['Size'] / 7) for row in rows] + [math.gcd(12, {n}), round(2.675, 2)]",
    "import itertools\nreturn [[kind, len(list(group))] for kind, group in\n"
    "        itertools.groupby(sorted(row['Key'][-1] for row in rows))]",
    "import re\nreturn [re.sub(r'(\\w+)\\.(\\w+)$', r'\\2.\\1', row['Key']) for row in rows]",
    "class Sum:\n    def __init__(self):\n        self.all = 0\n    def add(self, n):\n"
    "        self.all += n\n        return self\n"
    "one = Sum()\nfor row in rows:\n    one.add(row['Size'])\nreturn one.all",
    "def pairs():\n    for row in rows:\n        yield row['Key'], row['Size']\nreturn dict(pairs())",
    "match len(rows):\n    case 0:\n        return 'none'\n    case 1 | 2:\n        return 'few'\n"
    "    case n if n > {n}:\n"
    "        return ['many', n]\n    case _:\n        return 'some'",
    "s3.put_object(Bucket='larkfield-scratch', Key='made/{n}.txt', Body='\\n'.join(row['Key'] for row in rows))",
    "key = 'made/{n}.txt'\ns3.put_object(Bucket='larkfield-scratch', Key=key, Body=str(len(rows)).encode())\n"
    "text = s3.get_object(Bucket='larkfield-scratch', Key=key)['Body'].read().decode()\n"
    "s3.delete_object(Bucket='larkfield-scratch', Key=key)\nreturn text",
    "raise {talk}()",
    "if not rows:\n    raise {talk}('nothing here')\nreturn len(rows)",
)

FAILS = (
    "s3.list_objects(Bucket='larkfield-nowhere')",
    "s3.get_object(Bucket='{bucket}', Key='nothing/{n}.txt')",
    "s3.delete_bucket(Bucket='larkfield-office')",
    "s3.create_bucket(Bucket='Bad_{n}')",
    "s3.copy_object(Bucket='larkfield-scratch', CopySource='larkfield-office/none', Key='x')",
    "s3.create_bucket(Bucket='larkfield-new', CreateBucketConfiguration={{'LocationConstraint': 'moon-1'}})",
    "s3.list_objects(Bukcet='{bucket}')",
    "s3.put_object(Bucket='larkfield-scratch')",
)

CATCHES = (
    "{fail}",
    "try:\n    {fail}\nexcept ClientError as error:\n    return error.response['Error']['Code'], str(error)",
    "try:\n    {fail}\nexcept s3.exceptions.NoSuchKey:\n    return 'no key'\nexcept NoSuchBucket as error:\n"
    "    return f'{{error}}'\nexcept (BucketNotEmpty, InvalidBucketName) as error:\n"
    "    return [repr(error), error.args]",
    "try:\n    try:\n        {fail}\n    except KeyError:\n        return 'wrong'\n    finally:\n"
    "        print('finally')\n"
    "except Exception as error:\n    return type(error).__name__",
    "found = []\nfor _ in range(2):\n    try:\n        {fail}\n"
    "    except (ClientError, ParamValidationError) as error:\n"
    "        found.append(type(error).__name__)\n        continue\n    else:\n"
    "        found.append('done')\nreturn found",
    "try:\n    {fail}\nexcept NoSuchBucket:\n    raise ChitChat('gone')\nexcept ClientError as error:\n    raise",
    "try:\n    {fail}\nexcept ValueError:\n    return 1",
    "try:\n    raise ValueError('own')\nexcept ValueError as error:\n    print(error)\n    {fail}",
    "try:\n    {fail}\nexcept:\n    return 'anything'",
)

TALK = ("OutOfScopeRequestError", "AmbiguousRequestError", "ChitChat", "FAQ", "OverSpecificationError", "EndDialog")


def programs(seed: int, plain: int = 140, failing: int = 63) -> list[str]:
    """So many programs that work on rows, and so many in which the service refuses."""
    chance = random.Random(seed)
    made = [_program(chance, ENDS[number % len(ENDS)]) for number in range(plain)]
    made += [_failing(chance, FAILS[n % len(FAILS)], CATCHES[n % len(CATCHES)]) for n in range(failing)]
    return made


def _program(chance: random.Random, end: str) -> str:
    rows = chance.choice(ROWS) if chance.random() < 0.25 else ROWS[0]
    steps = chance.sample(STEPS, chance.randint(1, 3))
    return "\n".join(_filled(chance, part) for part in (rows, *steps, end))


def _failing(chance: random.Random, fail: str, catch: str) -> str:
    return _filled(chance, catch).replace("{fail}", _filled(chance, fail))


def _filled(chance: random.Random, part: str) -> str:
    places = {
        "bucket": chance.choice(BUCKETS),
        "prefix": chance.choice(("", "notes/", "reports/", "orders/2024/")),
        "letter": chance.choice("aeot/"),
        "truth": chance.choice(("True", "False")),
        "talk": chance.choice(TALK),
        "n": chance.randint(1, 9),
        "fail": "{fail}",
    }
    return part.format(**places) if part is not ROWS[0] else part

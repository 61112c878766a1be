"""Named texts to measure on: generated ones, the same everywhere, and WMT23 where it is at hand.

A generated reference is a run of words drawn from the lists below; its hypothesis is the same run
after the edits a translation system makes (another word, another ending, a word left out, two
words swapped), about as many as give chrF2 60 to 70, where WMT systems are.
"""

from __future__ import annotations

import gzip
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

Words = list[tuple[str, str]]  # stem and ending

ROOT = Path(__file__).resolve().parent.parent
WMT23 = ROOT / os.environ.get("CHRF_WMT23", "../shared/wmt23")
WMT23_PAIRS = ("en-cs", "en-de", "en-zh", "ja-en", "cs-uk")
WMT23_SYSTEM = "ONLINE-A"


@dataclass(frozen=True)
class Case:
    """A corpus: hypothesis i belongs to the list of references i."""

    name: str
    hypotheses: list[str]
    groups: list[list[str]]

    def __len__(self) -> int:
        return len(self.hypotheses)

    @cached_property
    def several(self) -> bool:
        """Whether some segment has more than one reference."""
        return any(len(group) != 1 for group in self.groups)

    @cached_property
    def references(self) -> list[str] | list[list[str]]:
        """The references in the form that chrf takes."""
        return self.groups if self.several else [group[0] for group in self.groups]

    @cached_property
    def code_points(self) -> float:
        """Mean code points of a segment: the hypothesis and all its references."""
        total = sum(map(len, self.hypotheses))
        total += sum(len(text) for group in self.groups for text in group)
        return total / len(self)

    def sample(self, segments: int) -> Case:
        """At most so many segments, evenly spaced."""
        step = -(-len(self) // segments)
        return Case(self.name, self.hypotheses[::step], self.groups[::step])


@dataclass(frozen=True)
class Language:
    """Words are a stem and an ending; `space` stands between them, one of `stops` at the end."""

    stems: str
    endings: tuple[str, ...]
    space: str = " "
    comma: str = ","
    stops: tuple[str, ...] = (".", ".", ".", "!", "?")
    edits: float = 1.0  # how often words are edited; less where one word has few code points

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(self.stems.split())


CZECH = Language(
    stems=(
        "dom měst řek stromov hor cest knih píseň škol učitel žák počas déšť vítr sněh jezer "
        "mlýn chléb polévk kuchyň zahrad květin včel medvěd vlk koč strýc sestr přítel soused "
        "rychl pomal velk mal star nov krásn tich hlasit zelen modr červen prac ček vid slyš "
        "rozum mluv píš čt kupu prodáv cestuj vař hled nacház zapomín vrac otvír zavír který "
        "protož jestliž někdy vždyc dnes zítr včer mezi před nad pod okol společn zákon vlád"
    ),
    endings=("", "a", "u", "y", "em", "ami", "ách", "í", "ého", "ou", "ené", "ali", "at"),
)
GERMAN = Language(
    stems=(
        "haus stadt fluss wald berg straße buch lied schule lehrer schüler wetter regen wind "
        "schnee see mühle brot suppe küche garten blume biene bär wolf katze onkel schwester "
        "freund nachbar schnell langsam groß klein alt neu schön ruhig laut grün blau rot arbeit "
        "wart seh hör versteh sprech schreib les kauf verkauf reis koch such find vergess öffn "
        "schließ welch deshalb manchmal immer heute morgen gestern zwischen vor über unter "
        "gemeinsam gesetz regierung versicherung gesellschaft"
    ),
    endings=("", "e", "en", "er", "es", "em", "t", "te", "ung", "lich", "s"),
)
UKRAINIAN = Language(
    stems=(
        "дім міст річк дерев гор дорог книг пісн школ вчител учн погод дощ вітер сніг озер млин "
        "хліб суп кухн сад квітк бджол ведмід вовк кішк дядьк сестр друг сусід швидк повільн "
        "велик мал стар нов гарн тих гучн зелен син червон прац чека бач чу розумі говор пиш "
        "чита купу продає подорожу готу шука знаходи забува поверта відкрива зачиня котр тому "
        "якщо інколи завжди сьогодні завтра вчора між перед над під спільн закон уряд їжак"
    ),
    endings=("", "а", "у", "и", "ою", "ами", "ах", "ій", "ого", "ими", "ли", "ти", "є"),
)
CHINESE = Language(
    stems=(
        "房子 城市 河流 森林 高山 道路 书籍 歌曲 学校 老师 孩童 天气 下雨 大风 白雪 湖水 磨坊 "
        "面包 热汤 厨房 花园 鲜花 蜜蜂 黑熊 野狼 小猫 叔父 姐妹 朋友 邻居 迅速 缓慢 巨型 细微 "
        "古老 崭新 美丽 安静 响亮 绿色 蓝图 红旗 工作 等待 看见 听说 理解 讲话 写字 阅读 购买 "
        "销售 旅行 烹饪 寻找 发现 忘记 返回 打开 关闭 因此 如果 有时 总是 今天 明日 昨晚 之间 "
        "前面 上方 共同 法律 政府 保险 社会 经济 市场 价格 技术 机器 语言 翻译 质量 评价 数据 "
        "电脑 网络 消息 报纸 记者 选举 议会 战争 和平 边界 历史 博物馆 音乐 绘画 电影 医院 药品 "
        "健康 疾病 运动 足球 比赛 冠军 火车 飞机 轮船 桥梁 建筑 窗户 桌椅 衣服 帽子 颜色 海洋 "
        "沙漠 岛屿 春季 夏夜 秋叶 冬至 太阳 月亮 星空 云雾 石头 黄金 银币 铁路 煤炭 能源 农民 "
        "稻米 苹果 茶杯 咖啡 我们 他俩 谁 这 那 的 了 在 是 不 很 都 也 与 把 被 从 向 对 为"
    ),
    endings=("", "", "", "", "们", "的", "了", "着", "过", "性"),
    space="",
    comma="，",
    stops=("。", "。", "。", "！", "？"),
    edits=0.5,
)
EMOJI = (
    "\U0001f600", "\U0001f602", "\U0001f64f\U0001f3fd", "\u2764\ufe0f", "\U0001f389",
    "\U0001f1e8\U0001f1ff", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3ff",
    "\U0001f525", "\U0001f914", "\U0001f680", "\U0001f3f3\ufe0f\u200d\U0001f308",
)  # fmt: skip


def names() -> list[str]:
    """The names of the cases that can be loaded, in the order of the table."""
    return [*GENERATED, *(_wmt23_name(pair) for pair in WMT23_PAIRS if _wmt23_file(pair).is_file())]


def notes() -> list[str]:
    """What is left out, for the reader of the results."""
    missing = [pair for pair in WMT23_PAIRS if not _wmt23_file(pair).is_file()]
    if not missing:
        return []
    return [f"left out: wmt23 {', '.join(missing)} (set CHRF_WMT23 to the folder of *.tsv.gz)"]


def load(name: str) -> Case:
    """The case of that name."""
    if name in GENERATED:
        return GENERATED[name](name)
    for pair in WMT23_PAIRS:
        if name == _wmt23_name(pair):
            references, hypotheses = _read_columns(_wmt23_file(pair), "refA", WMT23_SYSTEM)
            return Case(name, hypotheses, [[text] for text in references])
    raise ValueError(f"there is no case {name!r}; the cases are {', '.join(names())}")


def _wmt23_name(pair: str) -> str:
    return f"wmt23 {pair} {WMT23_SYSTEM}"


def _wmt23_file(pair: str) -> Path:
    return WMT23 / f"{pair}.tsv.gz"


def _read_columns(path: Path, *columns: str) -> list[list[str]]:
    """Columns of a table by their headings; only tabs and line feeds separate anything."""
    with gzip.open(path) as file:
        rows = [line.split(b"\t") for line in file.read().removesuffix(b"\n").split(b"\n")]
    heading = [field.decode() for field in rows[0]]
    return [[row[heading.index(column)].decode() for row in rows[1:]] for column in columns]


def _word(rng: random.Random, language: Language) -> tuple[str, str]:
    return rng.choice(language.words), rng.choice(language.endings)


def _edited(rng: random.Random, language: Language, words: Words) -> Words:
    result: Words = []
    for stem, ending in words:
        edit = rng.random() / language.edits
        if edit < 0.18:
            result.append(_word(rng, language))
        elif edit < 0.28:
            result.append((stem, rng.choice(language.endings)))
        elif edit < 0.33:
            continue
        elif edit < 0.37:
            result += [(stem, ending), _word(rng, language)]
        elif edit < 0.43 and result:
            result.insert(-1, (stem, ending))
        else:
            result.append((stem, ending))
    return result or [_word(rng, language)]


def _written(words: Words, language: Language, stop: str) -> str:
    parts = [stem + ending for stem, ending in words]
    for i in range(6, len(parts) - 1, 7):
        parts[i] += language.comma
    text = language.space.join(parts)
    return text[0].upper() + text[1:] + stop


def prose(
    language: Language,
    length: int,
    segments: int,
    *,
    references: int = 1,
    emoji: bool = False,
) -> Callable[[str], Case]:
    """Segments of about `length` code points a side; further references are edits as well."""

    def build(name: str) -> Case:
        rng = random.Random(name)
        hypotheses, groups = [], []
        for _ in range(segments):
            target = length * rng.uniform(0.5, 1.5)
            words = [_word(rng, language)]
            while len(_written(words, language, ".")) < target:
                pick = (rng.choice(EMOJI), "") if emoji and rng.random() < 0.2 else None
                words.append(pick or _word(rng, language))
            stop = rng.choice(language.stops)
            group = [words, *(_edited(rng, language, words) for _ in range(references - 1))]
            groups.append([_written(reference, language, stop) for reference in group])
            hypotheses.append(_written(_edited(rng, language, words), language, stop))
        return Case(name, hypotheses, groups)

    return build


def _repeated(unit: str, length: int, segments: int) -> Callable[[str], Case]:
    """One unit over and over, the two sides not equally long."""

    def build(name: str) -> Case:
        rng = random.Random(name)
        sides = [
            [unit * (rng.randint(length // 2, length * 3 // 2) // len(unit)) for _ in range(2)]
            for _ in range(segments)
        ]
        return Case(name, [side[0] for side in sides], [[side[1]] for side in sides])

    return build


GENERATED: dict[str, Callable[[str], Case]] = {
    "short czech": prose(CZECH, 20, 2000),
    "short ukrainian": prose(UKRAINIAN, 20, 2000),
    "short chinese": prose(CHINESE, 20, 2000),
    "sentence czech": prose(CZECH, 93, 1000),
    "sentence german": prose(GERMAN, 93, 1000),
    "sentence ukrainian": prose(UKRAINIAN, 93, 1000),
    "sentence chinese": prose(CHINESE, 93, 1000),
    "sentence emoji": prose(GERMAN, 93, 1000, emoji=True),
    "paragraph german": prose(GERMAN, 500, 250),
    "paragraph ukrainian": prose(UKRAINIAN, 500, 250),
    "paragraph chinese": prose(CHINESE, 500, 250),
    "eight references": prose(CZECH, 93, 200, references=8),
    "repeated a": _repeated("a", 1000, 100),
    "repeated ab": _repeated("ab", 1000, 100),
}

"""The language of texts: scripts, short texts, code, mixtures, real text."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from stratagraph.documents.language import chunk_language, detect_language

SHARED = Path(__file__).parents[3] / "shared/data"
OWN = {
    "en": [
        "I moved to a new flat near the river last month.",
        "What time does the meeting start tomorrow?",
        "The engine failed twice during the test flight.",
        "She prefers tea.",
        "Can you send me the report by Friday?",
    ],
    "de": [
        "Ich bin letzten Monat in eine neue Wohnung gezogen.",
        "Wann beginnt morgen die Besprechung?",
        "Der Motor fiel während des Testflugs zweimal aus.",
        "Sie trinkt lieber Tee.",
        "Kannst du mir den Bericht bis Freitag schicken?",
    ],
    "fr": [
        "J'ai emménagé dans un nouvel appartement le mois dernier.",
        "À quelle heure commence la réunion demain ?",
        "Le moteur est tombé en panne deux fois pendant l'essai.",
        "Elle préfère le thé.",
        "Peux-tu m'envoyer le rapport avant vendredi ?",
    ],
    "es": [
        "Me mudé a un piso nuevo cerca del río el mes pasado.",
        "¿A qué hora empieza la reunión mañana?",
        "El motor falló dos veces durante el vuelo de prueba.",
        "Ella prefiere el té.",
        "¿Puedes enviarme el informe antes del viernes?",
    ],
    "it": [
        "Il mese scorso mi sono trasferito in un nuovo appartamento.",
        "A che ora comincia la riunione domani?",
        "Il motore si è guastato due volte durante il volo di prova.",
        "Lei preferisce il tè.",
        "Puoi mandarmi la relazione entro venerdì?",
    ],
    "pt": [
        "Mudei-me para um apartamento novo no mês passado.",
        "A que horas começa a reunião amanhã?",
        "O motor falhou duas vezes durante o voo de teste.",
        "Ela prefere chá.",
        "Podes enviar-me o relatório até sexta-feira?",
    ],
    "nl": [
        "Ik ben vorige maand naar een nieuwe flat verhuisd.",
        "Hoe laat begint de vergadering morgen?",
        "De motor viel tijdens de testvlucht twee keer uit.",
        "Zij drinkt liever thee.",
        "Kun je me het verslag voor vrijdag sturen?",
    ],
    "ru": [
        "В прошлом месяце я переехал в новую квартиру у реки.",
        "Во сколько завтра начинается совещание?",
        "Двигатель дважды отказал во время испытаний.",
        "Она предпочитает чай.",
        "Можешь прислать мне отчёт до пятницы?",
    ],
    "ja": [
        "先月、川の近くの新しい部屋に引っ越しました。",
        "明日の会議は何時に始まりますか？",
        "エンジンが二度止まった。",
        "彼女はお茶が好きだ。",
        "東京都千代田区に住む",
    ],
    "zh": [
        "上个月我搬到了河边的新公寓。",
        "明天的会议几点开始？",
        "发动机在试飞中两次失灵。",
        "她喜欢喝茶。",
        "周五之前能把报告发给我吗？",
    ],
    "ko": [
        "지난달에 강 근처의 새 아파트로 이사했어요.",
        "내일 회의는 몇 시에 시작하나요?",
        "엔진이 두 번 꺼졌다.",
        "그녀는 차를 좋아한다.",
        "금요일까지 보고서를 보내 줄래요?",
    ],
    "th": [
        "เดือนที่แล้วฉันย้ายไปอยู่ห้องใหม่ใกล้แม่น้ำ",
        "พรุ่งนี้ประชุมเริ่มกี่โมง",
        "เครื่องยนต์ดับสองครั้ง",
        "เธอชอบดื่มชา",
        "ส่งรายงานให้ฉันก่อนวันศุกร์ได้ไหม",
    ],
    "ar": [
        "انتقلت الشهر الماضي إلى شقة جديدة قرب النهر.",
        "متى يبدأ الاجتماع غدا؟",
        "تعطل المحرك مرتين أثناء الرحلة التجريبية.",
        "هي تفضل الشاي.",
        "هل يمكنك إرسال التقرير قبل يوم الجمعة؟",
    ],
    "tr": [
        "Geçen ay nehrin yanındaki yeni bir daireye taşındım.",
        "Yarın toplantı saat kaçta başlıyor?",
        "Motor deneme uçuşunda iki kez durdu.",
        "O çay sever.",
        "Raporu cumaya kadar bana gönderebilir misin?",
    ],
    "pl": [
        "W zeszłym miesiącu przeprowadziłem się do nowego mieszkania.",
        "O której jutro zaczyna się spotkanie?",
        "Silnik dwa razy zawiódł podczas lotu próbnego.",
        "Ona woli herbatę.",
        "Czy możesz mi przysłać raport do piątku?",
    ],
}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("你好", "zh"), ("こんにちは世界", "ja"), ("안녕하세요", "ko"), ("สวัสดี", "th"), ("ok", "und"), ("12 345 !", "und"),
        ("The committee approved the budget yesterday.", "en"), ("Der Ausschuss hat gestern den Haushalt beschlossen.", "de"),
        ("Le comité a approuvé le budget hier après-midi.", "fr"), ("Комитет вчера утвердил бюджет страны.", "ru"),
        ("本公司与 Acme Corporation 签订了为期五年的合作协议，自二〇二四年起生效。", "zh"),
        ("1898年成立的大学", "zh"), ("Γειά σου", "el"), ("שלום עולם", "he"),
    ],
)  # fmt: skip
def test_languages(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("language", OWN)
def test_short_sentences_are_right_or_unknown(language: str) -> None:
    found = Counter(detect_language(text) for text in OWN[language])
    assert set(found) <= {language, "und"} and found[language] >= 4, found


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\nfor i in range(10):\n    print(i, x[i])\nreturn foo(bar)",
        "def main():\n    import os\n    return os.path.join(a, b)",
        "https://example.org/abc/def?x=y&language=english",
        "SELECT a, b FROM t WHERE c = 1 GROUP BY a;",
        '{"name": "x", "value": [1, 2]}',
        "function add(a, b) { return a + b; }",
        "ann.lee@example.org bob_stone@example.org",
        "a" * 40,
        "👍👍",
        "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6",
        "```\nThis is all inside of a fence, so that it is code.\n```",
        "first_name last_name date_of_birth created_at",
        "",
        " \n",
        "2024-01-01 10:00",
        "The year 7",
        "`the name of a function`",
    ],
)  # fmt: skip
def test_what_has_no_words_has_no_language(text: str) -> None:
    assert detect_language(text) == "und"


def test_words_around_code_decide() -> None:
    text = (
        "Diese Funktion addiert zwei Zahlen und gibt das Ergebnis zurück:\n\n```python\nreturn the_sum_of(the, numbers)\n```\n"
    )
    assert detect_language(text) == "de"


def test_a_piece_has_its_own_language_if_that_can_be_told() -> None:
    english, chinese = "The meeting was moved to the afternoon of next Friday.", "会议改到下周五下午举行。"
    assert [chunk_language(text, "en") for text in (english, chinese, "OK", "42", "x = f(1);")] == [
        "en",
        "zh",
        "en",
        "und",
        "und",
    ]
    assert [chunk_language(text, "ja") for text in ("東京都千代田区", chinese * 20)] == ["ja", "zh"]


def test_a_long_text_is_sampled_all_over() -> None:
    licence = "Permission is granted to anyone to use this text for any purpose. " * 320
    assert detect_language(licence + "会议改到下周五下午举行。" * 20_000) == "zh"


@pytest.mark.parametrize(
    "piece", ["a@", "`", "```\n", "_", "<a ", "1a", "{", "http://", "é", "的", "가a", "\n", "...", "a.b@c.d."]
)
def test_no_text_takes_long(piece: str) -> None:
    start = time.process_time()
    assert detect_language(piece * 100_000) == detect_language(piece * 100_000)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(("language", "right"), [("en", 0.98), ("zh", 0.99)])
def test_real_questions_and_paragraphs(language: str, right: float) -> None:
    file = SHARED / f"xquad/xquad.{language}.json"
    if not file.exists():
        pytest.skip("../shared/data/xquad is absent")
    articles = json.loads(file.read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    assert {detect_language(paragraph["context"]) for paragraph in paragraphs} == {language}
    questions = [question["question"] for paragraph in paragraphs for question in paragraph["qas"]]
    found = Counter(map(detect_language, questions))
    assert found[language] >= right * len(questions) and found.total() - found[language] - found["und"] <= 2, found
